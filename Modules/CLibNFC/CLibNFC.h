// The whole of libnfc's public interface; nothing is added to it here.
#include <nfc/nfc.h>
