import CLibNFC
