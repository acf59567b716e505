/** The data needed to call one cluster: strings only, never the path of a file or a command. */
export interface ClusterAccess {
  /** URL without a trailing slash; may have a path, for instance behind a multi-cluster gateway. */
  server: string;
  /** The default namespace. */
  namespace?: string;
  tls: ClusterTls;
  /** URL of an http or https proxy. */
  proxy?: string;
  user: ClusterUser;
}

export interface ClusterTls {
  /** Trusted PEM certificates; default: those of the system. */
  ca?: string;
  /** The server name to verify the certificate against, instead of the host of `server`. */
  servername?: string;
  /** Disables verification of the server certificate. */
  insecure?: boolean;
}

/** The authentication; without a property, calls are anonymous. */
export interface ClusterUser {
  token?: string;
  /** PEM certificate. */
  cert?: string;
  /** PEM private key. */
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
