// The whole of libmosquitto's public interface; nothing is added to it here.
#include <mosquitto.h>
