import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { verifyPassword } from '../../core/crypto/password-hashing.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Precondition } from '../../core/rest/precondition.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { ProfileView } from '../../organizations/profiles/profile.view.js';
import { actorForUser } from '../../organizations/users/accounts.service.js';
import { isLinked, type User } from '../../organizations/users/user.entity.js';
import { UserDeactivated, UserLinked } from '../../organizations/users/user.events.js';
import { userPolicy } from '../../organizations/users/user.policy.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import { SignInLimiter } from '../attempts/attempts.limiter.js';
import { AccountSignInsService } from '../passwords/account-sign-ins.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { decodeUnverified, OWN_ISSUER } from '../tokens/json-web-token.js';
import { type ExternalClaims, parseClaims } from './external-claims.js';

/**
 * Joins a user of the issuer to the account that their address has here already. The password proves that the account
 * is theirs, so the issuer need not have verified the address.
 */
@Injectable()
export class AccountLinkingService {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: OrganizationsStore,
    private readonly limit: SignInLimiter,
    private readonly signIns: AccountSignInsService,
    private readonly passwords: PasswordsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * From then on the issuer's tokens of this subject are of the account with the password. The account that was
   * created at the first sight of the subject is deleted.
   *
   * @param token of the request, which is verified already
   * @returns the profile of the account as which the token acts from now on
   */
  async link(actor: Actor, token: string, password: string, network: string): Promise<ProfileView> {
    assertScope(actor, userPolicy.linkAccount);
    const { issuer, claims } = readClaims(token);
    if (!claims.email)
      throw new Conflict('NO_ADDRESS', 'the token does not say which address its user has (claim email)', {
        remedy: 'Have the issuer put the claim email into access tokens.',
      });
    const account = await this.unit.runAsSystem('linking an account', () => this.users.findByEmail(claims.email ?? ''));
    if (account && account.id === actor.userId)
      throw new Conflict('ALREADY_LINKED', 'the token is of this account already', {
        remedy: 'Nothing has to be done.',
      });
    const attempt = await this.limit.begin(claims.email, network);
    const passwordHash = account && isLinkable(account) ? account.passwordHash : null;
    // The same for an unknown address, which nobody learns to be unknown.
    if (!(await verifyPassword(passwordHash, password)) || !account) throw wrongPassword();
    await attempt.succeeded();
    return this.unit.runAsSystem('linking an account', () =>
      this.unit.run(() => this.join(account, actor.userId ?? '', { issuer, subject: claims.subject })),
    );
  }

  /**
   * Unlinks the user of the issuer from the account of the caller, which keeps its password. The password shows that the caller can
   * sign in to the account from then on, and is not only somebody with a token of it.
   * @returns the profile
   */
  async unlink(actor: Actor, password: string, network: string, match: Precondition): Promise<ProfileView> {
    assertScope(actor, userPolicy.unlinkAccount);
    const { userId } = actor;
    const known = userId ? await this.users.find(userId) : null;
    if (!known) throw new NotFound('user', userId ?? actor.name);
    if (!isLinked(known)) throw notLinked(known);
    const attempt = await this.limit.begin(known.email, network);
    if (!(await verifyPassword(known.passwordHash, password))) throw wrongPassword();
    await attempt.succeeded();
    return this.unit.runAsSystem('unlinking an account', () =>
      this.unit.run(async () => {
        const user = await this.users.lock(known.id);
        if (user?.passwordHash !== known.passwordHash) throw wrongPassword();
        match.assertMatches(user);
        if (!isLinked(user)) throw notLinked(user);
        await this.passwords.unlinkIdentity(actor, user);
        return ProfileView.fromEntity(user, await this.organizations.listByMember(user.id));
      }),
    );
  }

  private async join({ id, passwordHash }: User, issuedId: string, identity: Identity): Promise<ProfileView> {
    // In one order, so that two calls do not wait for each other.
    const locked = new Map<string, User | null>();
    for (const each of [id, issuedId].sort()) locked.set(each, await this.users.lock(each));
    const [account, issued] = [locked.get(id), locked.get(issuedId)];
    if (account?.passwordHash !== passwordHash || !isLinkable(account)) throw wrongPassword();
    if (issued?.issuer !== identity.issuer || issued.subject !== identity.subject) throw tokenOfIssuerRequired();
    if (issued.installationAdmin)
      throw new Conflict('IN_USE', "the token's own account administers the installation", {
        remedy: `Give the right to another account first: PUT /api/identity/users/${issued.id} {installation_admin: false}.`,
      });
    const held = await this.organizations.listByMember(issued.id);
    if (held.length > 0)
      throw new Conflict(
        'IN_USE',
        `the token's own account is a member of ${held.map(({ name }) => name).join(', ')}`,
        {
          remedy: `Leave first: DELETE /api/identity/orgs/{orgId}/users/${issued.id}. What it owns stays with the organization.`,
        },
      );
    await this.users.update(issued, { issuer: null, subject: null });
    await this.users.softDelete(issued);
    await this.events.publish(new UserDeactivated(actorForUser(account), issued));
    await this.users.update(account, identity);
    await this.events.publish(
      new UserLinked(actorForUser(account), account, { ...identity, deleted_user_id: issued.id }),
    );
    await this.signIns.revokeTokens(issued.id);
    return ProfileView.fromEntity(account, await this.organizations.listByMember(account.id));
  }
}

interface Identity {
  issuer: string;
  subject: string;
}

/** The claims of a verified token. @throws Conflict for a token that this server issued */
function readClaims(token: string): { issuer: string; claims: ExternalClaims } {
  const decoded = decodeUnverified(token);
  if (typeof decoded?.issuer !== 'string' || decoded.issuer === OWN_ISSUER) throw tokenOfIssuerRequired();
  const claims = parseClaims(decoded.claims, true);
  if ('fault' in claims) throw tokenOfIssuerRequired();
  return { issuer: decoded.issuer, claims };
}

/** A confirmed account that no issuer authenticates yet. */
const isLinkable = ({ issuer, unconfirmedBy, deactivatedAt }: User): boolean =>
  issuer === null && unconfirmedBy === null && deactivatedAt === null;

const wrongPassword = (): InvalidRequest => InvalidRequest.forField('/password', 'is wrong');

const tokenOfIssuerRequired = (): Conflict =>
  new Conflict('ISSUER_TOKEN_REQUIRED', 'only a user of the OpenID Connect issuer is linked to an account', {
    remedy: 'Send an access token of the issuer that this server trusts (OIDC_ISSUER).',
  });

const notLinked = ({ issuer }: User): Conflict =>
  issuer === null
    ? new Conflict('NOT_LINKED', 'the account is not linked to the OpenID Connect issuer', {
        remedy: 'Nothing has to be done.',
      })
    : new Conflict('NO_PASSWORD', 'the account has no password, so only the OpenID Connect issuer signs in to it', {
        remedy: 'Have an installation administrator deactivate the account if it is no longer used.',
      });
