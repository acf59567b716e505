/** An input file: an upload, a member of an archive, or text of a request body. */
export interface SourceFile {
  /** Name or path with `/`, as faults show it. */
  path: string;
  bytes: Uint8Array;
}
