/** The kinds of failed requests, the same for all generators. */
export const CLOSED = 'the connection was closed before the answer';
export const TIMED_OUT = 'no answer in time';
export const NOT_HTTP = 'the answer is not HTTP';
export const UNSENT = 'not sent, as every connection was waiting';
