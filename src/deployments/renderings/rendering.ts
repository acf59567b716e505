/** A chart as it is rendered for one cluster. */
export interface Rendering {
  /** The number of the version of the design. */
  version: number;
  /** The namespace of the release. */
  namespace: string;
  /** What could not be looked up on the cluster. */
  warnings: string[];
}

/** The version that is deployed, and for a chart its rendering for each cluster, by connection. */
export interface DeployedVersions {
  designVersion: number;
  renderings: Record<string, Rendering>;
}

/** The version for one cluster. */
export const versionFor = ({ designVersion, renderings }: DeployedVersions, connectionId: string): number =>
  renderings[connectionId]?.version ?? designVersion;

/** All versions that are deployed. */
export const allVersions = ({ designVersion, renderings }: DeployedVersions): number[] => [
  ...new Set([designVersion, ...Object.values(renderings).map(({ version }) => version)]),
];
