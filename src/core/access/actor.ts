/** What a token permits. A session has all scopes; a personal access token has those chosen when it was created. */
export const SCOPES = ['read', 'write', 'deploy', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The identity that acts: the user or service account of a token, or the system with a reason that the audit records. */
export class Actor {
  private constructor(
    readonly kind: 'user' | 'system',
    /** The user's id; null for the system. */
    readonly userId: string | null,
    readonly name: string,
    readonly installationAdmin: boolean,
    readonly scopes: readonly Scope[],
    /** The session or personal access token that authenticated the call; when it is revoked, the work that it started ends. */
    readonly sessionId: string | null,
    /** The default organization of a user who is a member of several, for calls that name none. */
    readonly defaultOrganizationId: string | null,
    /** Whether it is a service account. */
    readonly isServiceAccount = false,
    /** When the token expires, in milliseconds since the epoch; null when it does not. */
    readonly expiresAt: number | null = null,
  ) {}

  static user(user: {
    id: string;
    email: string;
    installationAdmin: boolean;
    scopes?: readonly Scope[];
    sessionId?: string | null;
    defaultOrganizationId?: string | null;
    /** Defaults to `person`: only people sign in. */
    kind?: 'person' | 'service';
    expiresAt?: number | null;
  }): Actor {
    return new Actor(
      'user',
      user.id,
      user.email,
      user.installationAdmin,
      user.scopes ?? SCOPES,
      user.sessionId ?? null,
      user.defaultOrganizationId ?? null,
      user.kind === 'service',
      user.expiresAt ?? null,
    );
  }

  static system(reason: string): Actor {
    return new Actor('system', null, reason, true, SCOPES, null, null);
  }

  /** The system acting for a user; events name that user. */
  static onBehalfOf(userId: string, reason: string): Actor {
    return new Actor('system', userId, reason, true, SCOPES, null, null);
  }

  get isSystem(): boolean {
    return this.kind === 'system';
  }
}
