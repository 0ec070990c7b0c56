// What a C program over libnfc does for one command of the nfc tool: it opens the reader, selects the tag,
// sends the same commands, prints the answers, and closes the reader. Run by NFCBenchmark.
//
//   CTouchToAnswer CONNECTION-STRING a|f|c COMMAND...
//
// a: type A, commands with the chip's CRC; f: FeliCa, commands with their length; c: type A card, APDUs.
// Commands are hexadecimal. A tag that refuses one is mute until it is selected again, and is.
#include <nfc/nfc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest_command = 262, largest_answer = 264, time_out = 1000 };

static int fail(const char *what) {
  fprintf(stderr, "CTouchToAnswer: %s failed\n", what);
  return 1;
}

static int parse(const char *text, uint8_t *bytes, size_t *count) {
  const size_t length = strlen(text);
  if (length % 2 != 0 || length / 2 > largest_command) return -1;
  for (size_t index = 0; index < length / 2; index++) {
    unsigned value;
    if (sscanf(text + 2 * index, "%2x", &value) != 1) return -1;
    bytes[index] = (uint8_t)value;
  }
  *count = length / 2;
  return 0;
}

static int select_tag(nfc_device *device, bool is_felica) {
  const nfc_modulation modulation = {
      .nmt = is_felica ? NMT_FELICA : NMT_ISO14443A, .nbr = is_felica ? NBR_212 : NBR_106};
  const uint8_t polling[] = {0x00, 0xFF, 0xFF, 0x01, 0x00};
  nfc_target target;
  return nfc_initiator_select_passive_target(
      device, modulation, is_felica ? polling : NULL, is_felica ? sizeof polling : 0, &target);
}

static int run(nfc_device *device, char kind, int count, char **commands) {
  if (nfc_initiator_init(device) < 0) return fail("nfc_initiator_init");
  if (nfc_device_set_property_bool(device, NP_INFINITE_SELECT, false) < 0) return fail("a property");
  const bool is_felica = kind == 'f';
  if (select_tag(device, is_felica) <= 0) return fail("selecting a tag");
  // Type 2 tags have commands that the chip's own data exchange does not let through.
  if (kind == 'a' && count > 0 &&
      nfc_device_set_property_bool(device, NP_EASY_FRAMING, false) < 0) {
    return fail("a property");
  }
  for (int index = 0; index < count; index++) {
    uint8_t command[largest_command], answer[largest_answer];
    size_t length;
    if (parse(commands[index], command, &length) < 0) return fail("a command");
    const int received = nfc_initiator_transceive_bytes(
        device, command, length, answer, sizeof answer, time_out);
    if (received < 0 && select_tag(device, is_felica) <= 0) return fail("an exchange");
    for (int byte = 0; byte < received; byte++) printf("%02X", answer[byte]);
    printf("\n");
  }
  printf("done\n");
  fflush(stdout);
  return 0;
}

int main(int count, char **arguments) {
  if (count < 3) return fail("the command line");
  nfc_context *context = NULL;
  nfc_init(&context);
  if (context == NULL) return fail("nfc_init");
  nfc_device *device = nfc_open(context, arguments[1]);
  if (device == NULL) return fail("nfc_open");
  const int status = run(device, arguments[2][0], count - 3, arguments + 3);
  nfc_close(device);
  nfc_exit(context);
  return status;
}
