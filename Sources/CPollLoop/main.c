// What a plain C program over libnfc does to report the tags that come and go: each round switches the carrier off
// and on and looks once for type A, type B, FeliCa at both rates and Jewel. Run by NFCBenchmark.
//
//   CPollLoop CONNECTION-STRING
//
// Prints "arrived" and "left", one line each. A tag has left when two rounds in a row have not found it.
#include <nfc/nfc.h>
#include <stdio.h>

enum { rounds_until_left = 2 };

static const nfc_modulation modulations[] = {
    {.nmt = NMT_ISO14443A, .nbr = NBR_106}, {.nmt = NMT_ISO14443B, .nbr = NBR_106},
    {.nmt = NMT_FELICA, .nbr = NBR_212},    {.nmt = NMT_FELICA, .nbr = NBR_424},
    {.nmt = NMT_JEWEL, .nbr = NBR_106},
};

static int fail(const char *what) {
  fprintf(stderr, "CPollLoop: %s failed\n", what);
  return 1;
}

static int poll(nfc_device *device) {
  if (nfc_initiator_init(device) < 0) return fail("nfc_initiator_init");
  if (nfc_device_set_property_bool(device, NP_INFINITE_SELECT, false) < 0) return fail("a property");
  printf("ready\n");
  fflush(stdout);
  int is_present = 0, misses = 0;
  while (1) {
    nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, false);
    nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, true);
    int is_found = 0;
    for (size_t index = 0; index < sizeof modulations / sizeof modulations[0]; index++) {
      nfc_target target;
      if (nfc_initiator_select_passive_target(device, modulations[index], NULL, 0, &target) <= 0) {
        continue;
      }
      is_found = 1;
      misses = 0;
      if (!is_present) {
        is_present = 1;
        printf("arrived\n");
        if (fflush(stdout) != 0) return 0;
      }
    }
    if (is_present && !is_found && ++misses == rounds_until_left) {
      is_present = 0;
      printf("left\n");
      if (fflush(stdout) != 0) return 0;
    }
  }
}

int main(int count, char **arguments) {
  if (count < 2) return fail("the command line");
  nfc_context *context = NULL;
  nfc_init(&context);
  if (context == NULL) return fail("nfc_init");
  nfc_device *device = nfc_open(context, arguments[1]);
  if (device == NULL) return fail("nfc_open");
  return poll(device);
}
