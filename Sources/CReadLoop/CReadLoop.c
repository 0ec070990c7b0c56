#include "CReadLoop.h"

#include <nfc/nfc.h>
#include <time.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t loop(nfc_device *device, int count) {
  const nfc_modulation type_a = {.nmt = NMT_ISO14443A, .nbr = NBR_106};
  nfc_target target;
  if (nfc_initiator_init(device) < 0) return -2;
  if (nfc_device_set_property_bool(device, NP_INFINITE_SELECT, false) < 0) return -3;
  if (nfc_initiator_select_passive_target(device, type_a, NULL, 0, &target) <= 0) return -4;
  if (nfc_device_set_property_bool(device, NP_EASY_FRAMING, false) < 0) return -5;
  if (nfc_device_set_property_bool(device, NP_HANDLE_CRC, false) < 0) return -6;
  uint8_t answer[264];
  const int64_t start = now();
  for (int round = 0; round < count; round++) {
    uint8_t command[4] = {0x30, 0x04};
    iso14443a_crc_append(command, 2);
    if (nfc_initiator_transceive_bytes(device, command, 4, answer, sizeof answer, 100) != 18) {
      return -7;
    }
  }
  return now() - start;
}

int64_t c_read_loop(const char *connection_string, int count) {
  nfc_context *context = NULL;
  nfc_init(&context);
  if (context == NULL) return -1;
  nfc_device *device = nfc_open(context, connection_string);
  if (device == NULL) return -1;
  const int64_t result = loop(device, count);
  // The context stays: leaving libnfc would take its drivers from the readers opened after.
  nfc_close(device);
  return result;
}
