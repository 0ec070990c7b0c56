// The whole of libusb-1.0's public interface; nothing is added to it here.
#if __has_include(<libusb.h>)
#include <libusb.h>
#elif __has_include(<libusb-1.0/libusb.h>)
#include <libusb-1.0/libusb.h>
#else
#error "libusb.h is missing: sudo apt-get install libusb-1.0-0-dev"
#endif
