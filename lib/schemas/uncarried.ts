/** XML 1.0 (section 2.2) cannot carry these characters, and SQS rejects a message with one (API reference, SendMessage). */
export const uncarried = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
