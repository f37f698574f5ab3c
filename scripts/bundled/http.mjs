// What undici asks Node's own HTTP for, which takes as long to load as undici itself: how many bytes the headers of an answer
// may have, as many as with Node where nobody says otherwise, and whether a body is one of its messages. Here, none is.
export const maxHeaderSize = 16 * 1024;
export class IncomingMessage {}
