/** What a token lets its bearer do; a session has all of them, a personal access token those it was made with. */
export const SCOPES = ['read', 'write', 'deploy', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who acts: the user or service account of a token, or the system itself with a reason that the audit records. */
export class Actor {
  private constructor(
    readonly kind: 'user' | 'system',
    /** The user's id; null for the system. */
    readonly userId: string | null,
    readonly name: string,
    readonly installationAdmin: boolean,
    readonly scopes: readonly Scope[],
    /** The session or personal token that authenticated the call; ending it ends what runs in its name. */
    readonly sessionId: string | null,
    /** The organization meant when a call of a member of several names none. */
    readonly defaultOrganizationId: string | null,
    /** Whether it is a service account. */
    readonly isServiceAccount = false,
  ) {}

  static user(user: {
    id: string;
    email: string;
    installationAdmin: boolean;
    scopes?: readonly Scope[];
    sessionId?: string | null;
    defaultOrganizationId?: string | null;
    /** A person unless given: only people sign in. */
    kind?: 'person' | 'service';
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
    );
  }

  static system(reason: string): Actor {
    return new Actor('system', null, reason, true, SCOPES, null, null);
  }

  /** The system, doing what a user asked for: events name the user. */
  static onBehalfOf(userId: string, reason: string): Actor {
    return new Actor('system', userId, reason, true, SCOPES, null, null);
  }

  get isSystem(): boolean {
    return this.kind === 'system';
  }
}
