// The part of pcsc-lite's interface that is used here, with the types of its wintypes.h.
//
// Declared and not included: its headers name each other as only a search path finds them, and
// the pkg-config file that has the path also has a flag that SwiftPM refuses with a warning.
#ifndef CPCSCLITE_H
#define CPCSCLITE_H

#if !defined(__APPLE__) && !__has_include(<PCSC/winscard.h>) && !__has_include(<winscard.h>)
#error "PCSC/winscard.h is missing: sudo apt-get install libpcsclite-dev"
#endif

#ifdef __APPLE__
#include <stdint.h>
typedef int32_t LONG;
typedef uint32_t DWORD;
typedef int32_t SCARDCONTEXT;
typedef int32_t SCARDHANDLE;
#pragma pack(push, 1)
#else
typedef long LONG;
typedef unsigned long DWORD;
typedef LONG SCARDCONTEXT;
typedef LONG SCARDHANDLE;
#endif

typedef struct {
  const char *szReader;
  void *pvUserData;
  DWORD dwCurrentState;
  DWORD dwEventState;
  DWORD cbAtr;
  unsigned char rgbAtr[33];
} SCARD_READERSTATE;

typedef struct {
  unsigned long dwProtocol;
  unsigned long cbPciLength;
} SCARD_IO_REQUEST;

#ifdef __APPLE__
#pragma pack(pop)
#endif

LONG SCardEstablishContext(DWORD scope, const void *, const void *, SCARDCONTEXT *context);
LONG SCardReleaseContext(SCARDCONTEXT context);
LONG SCardListReaders(SCARDCONTEXT context, const char *groups, char *names, DWORD *length);
LONG SCardGetStatusChange(
    SCARDCONTEXT context, DWORD milliseconds, SCARD_READERSTATE *states, DWORD count);
LONG SCardCancel(SCARDCONTEXT context);
LONG SCardConnect(
    SCARDCONTEXT context, const char *reader, DWORD share, DWORD protocols, SCARDHANDLE *card,
    DWORD *protocol);
LONG SCardReconnect(
    SCARDHANDLE card, DWORD share, DWORD protocols, DWORD initialization, DWORD *protocol);
#ifdef __APPLE__
// As its own header names it.
#define SCardControl SCardControl132
#endif
LONG SCardDisconnect(SCARDHANDLE card, DWORD disposition);
LONG SCardTransmit(
    SCARDHANDLE card, const SCARD_IO_REQUEST *sent, const unsigned char *command, DWORD length,
    SCARD_IO_REQUEST *received, unsigned char *answer, DWORD *answerLength);
LONG SCardControl(
    SCARDHANDLE card, DWORD code, const void *command, DWORD length, void *answer, DWORD size,
    DWORD *answerLength);

#endif
