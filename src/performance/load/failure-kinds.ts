/** The kinds of failed requests, the same for all generators. */
export const CLOSED = 'the connection was closed before the response';
export const TIMED_OUT = 'no response in time';
export const NOT_HTTP = 'the response is not HTTP';
export const UNSENT = 'not sent, as every connection was waiting';
