// The whole of libmosquitto's public interface; nothing is added to it here.
#if __has_include(<mosquitto.h>)
#include <mosquitto.h>
#else
#error "mosquitto.h is missing: sudo apt-get install libmosquitto-dev"
#endif
