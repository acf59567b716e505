/** Everything needed to call one cluster, as data: texts only, never a path or a command. */
export interface ClusterAccess {
  /** URL without a trailing slash; it may have a path, as behind a multi-cluster gateway. */
  server: string;
  /** Where objects without a namespace of their own go. */
  namespace?: string;
  tls: ClusterTls;
  /** http or https proxy that the cluster is reached through. */
  proxy?: string;
  user: ClusterUser;
}

export interface ClusterTls {
  /** PEM certificates that are trusted; the system's own when absent. */
  ca?: string;
  /** Name that the certificate is checked against, in place of the host of the server. */
  servername?: string;
  /** The certificate is not checked at all. */
  insecure?: boolean;
}

/** Who calls. Without a member the call is anonymous. */
export interface ClusterUser {
  token?: string;
  /** PEM. */
  cert?: string;
  /** PEM. */
  key?: string;
  username?: string;
  password?: string;
  impersonate?: Impersonation;
}

export interface Impersonation {
  user: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}
