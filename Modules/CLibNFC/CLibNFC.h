// The whole of libnfc's public interface; nothing is added to it here.
#if __has_include(<nfc/nfc.h>)
#include <nfc/nfc.h>
#else
#error "nfc/nfc.h is missing: sudo apt-get install libnfc-dev"
#endif
