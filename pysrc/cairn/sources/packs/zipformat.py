"""The records of a ZIP file that packs use, in one place for the reader and the writer.

Facts of the format (the public ZIP application note): a local header before each member, a central
directory of all members at the end, an end record after it; ZIP64 is not needed below 2 GiB.
"""

from __future__ import annotations

import struct

LOCAL = struct.Struct("<4sHHHHHIIIHH")
LOCAL_MAGIC = b"PK\x03\x04"
CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
CENTRAL_MAGIC = b"PK\x01\x02"
END = struct.Struct("<4sHHHHIIH")
END_MAGIC = b"PK\x05\x06"
STORED, DEFLATED = 0, 8
UTF8_NAME = 0x800
ENCRYPTED = 0x1 | 0x40 | 0x2000
LONGEST_COMMENT = 0xFFFF
EOCD_FIELDS_64 = 0xFFFFFFFF  # a value that says: look into ZIP64 records
ALIGNMENT = 65_536
PADDING_FIELD = 0x4E43  # our extra field that only fills up to the alignment
UNIX, REGULAR_FILE, SYMLINK, FILE_TYPE = 3, 0o100644, 0o120000, 0o170000
DOS_EPOCH_DATE = 0x21  # 1 January 1980, the earliest and the only date in our packs
