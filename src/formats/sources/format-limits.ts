/** How much foreign input may take. Every reader has these as defaults and takes others as a parameter. */
export interface FormatLimits {
  /** Bytes of one YAML or JSON file. */
  textBytes: number;
  /** Documents of one file, empty ones among them. */
  documents: number;
  /** Nesting of one document. */
  depth: number;
  /** Aliases of one document. */
  aliases: number;
  /** Bytes that the aliases of one document may stand for. */
  aliasBytes: number;
  /** Bytes of all members of an archive together, unpacked. */
  archiveBytes: number;
  archiveEntries: number;
  /** Bytes of one member of an archive, unpacked. */
  entryBytes: number;
  /** Faults listed for one file; one more line tells how many were left out. */
  faults: number;
  /** Take the nearest double for a number with more digits, instead of refusing it: right for schemas, where such numbers are bounds and examples. */
  roundNumbers: boolean;
}

const MB = 1024 * 1024;

export const DEFAULT_FORMAT_LIMITS: Readonly<FormatLimits> = {
  textBytes: 10 * MB,
  documents: 100_000,
  depth: 100,
  aliases: 100,
  aliasBytes: 10 * MB,
  archiveBytes: 200 * MB,
  archiveEntries: 20_000,
  entryBytes: 20 * MB,
  faults: 100,
  roundNumbers: false,
};
