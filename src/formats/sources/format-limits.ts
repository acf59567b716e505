/** Limits on untrusted input. Every reader uses these as defaults and accepts others as a parameter. */
export interface FormatLimits {
  /** Bytes of one YAML or JSON file. */
  textBytes: number;
  /** Documents of one file, empty ones among them. */
  documents: number;
  /** Tokens of one YAML file but white space, a flow collection as FLOW_COLLECTION_TOKENS, and values of one JSON file. */
  tokens: number;
  /** Nesting of one document. */
  depth: number;
  /** Aliases of one document. */
  aliases: number;
  /** Bytes that the aliases of one document may expand to. */
  aliasBytes: number;
  /** Bytes of all members of an archive together, unpacked. */
  archiveBytes: number;
  archiveEntries: number;
  /** Bytes of one member of an archive, unpacked. */
  entryBytes: number;
  /** Faults listed for one file; one more line reports how many were left out. */
  faults: number;
  /** Rounds a number with more digits to the nearest double, instead of refusing it: suitable for schemas, where such numbers are bounds and examples. */
  roundNumbers: boolean;
}

const MB = 1024 * 1024;

export const DEFAULT_FORMAT_LIMITS: Readonly<FormatLimits> = {
  textBytes: 10 * MB,
  documents: 100_000,
  tokens: 1_000_000,
  depth: 100,
  aliases: 10_000,
  aliasBytes: 10 * MB,
  archiveBytes: 200 * MB,
  archiveEntries: 20_000,
  entryBytes: 20 * MB,
  faults: 100,
  roundNumbers: false,
};
