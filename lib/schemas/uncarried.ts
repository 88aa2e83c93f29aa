/** Characters that XML 1.0 (section 2.2) and SQS (API reference, SendMessage) cannot carry. SQS rejects a message with one. */
export const uncarried = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
