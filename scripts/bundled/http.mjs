// What undici asks Node's own HTTP for, which takes as long to load as undici itself: how many bytes the headers of an answer
// may have, which is looked up there where an option of Node's says it, and whether a body is one of its messages. None is.
const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""];
const isSaid = options.some((each) => /max[-_]http[-_]header[-_]size/.test(each));
export const maxHeaderSize = isSaid ? process.getBuiltinModule("node:http").maxHeaderSize : 16 * 1024;
export class IncomingMessage {}
