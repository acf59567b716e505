import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { requireScope } from '../../core/access/access.js';
import type { Actor } from '../../core/access/actor.js';
import { hashPassword } from '../../core/crypto/passwords.js';
import { digestOf } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError, Conflict, Forbidden, InvalidRequest } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationMemberAdded } from '../members/member.events.js';
import { organizationRole, standingOf } from '../members/member.view.js';
import { MembersStore } from '../members/members.store.js';
import { Accounts, actorOf } from '../users/accounts.js';
import type { User } from '../users/user.entity.js';
import { userPolicy } from '../users/user.policy.js';
import { UsersStore } from '../users/users.store.js';
import type { Invitation } from './invitation.entity.js';
import type { Acceptance } from './invitation.inputs.js';
import { InvitationsStore } from './invitations.store.js';

/** What becomes of invitations. */
@Injectable()
export class AcceptancesService {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly accounts: Accounts,
    private readonly users: UsersStore,
    private readonly members: MembersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @throws AppError 404 for a token that never was, 410 for one that can no longer be used */
  async read(token: string): Promise<Invitation> {
    const find = () => this.invitations.findByHash(digestOf(token));
    return standing(await this.unit.asSystem('reading an invitation', find));
  }

  /**
   * Makes the account of the invited, once, and makes them a member. The URL alone does not prove whose the address is, for the
   * inviter was shown it too: the account is unconfirmed unless it comes with the proof that only the letter says.
   *
   * @throws AppError as `read` does; Conflict when the address has an account by now, which stays as it is
   */
  async accept(token: string, proof: string | undefined, input: Acceptance): Promise<User> {
    const { email } = await this.read(token);
    if (input.password === undefined) throw InvalidRequest.at('/password', 'is required', HOW_TO_ACCEPT);
    const passwordHash = await hashPassword(input.password, email);
    return this.inNameOfSystem(async () => {
      const invitation = standing(await this.invitations.lockByHash(digestOf(token)));
      if (await this.accounts.reserve(invitation.email)) throw accountExists();
      const { proofHash, invitedBy } = invitation;
      const isProven = !proofHash || (proof !== undefined && timingSafeEqual(digestOf(proof), proofHash));
      const user = await this.accounts.make({
        email: invitation.email,
        firstName: input.first_name ?? invitation.firstName,
        lastName: input.last_name ?? invitation.lastName,
        passwordHash,
        unconfirmedBy: isProven ? null : invitedBy,
      });
      await this.join(user, invitation);
      return user;
    });
  }

  /**
   * Makes the caller a member, when the invitation is for their address and the account is theirs alone.
   *
   * @throws AppError as `read` does; Forbidden for the invitation of another address; Conflict
   */
  async acceptAs(actor: Actor, token: string): Promise<User> {
    requireScope(actor, userPolicy.acceptInvitation);
    return this.inNameOfSystem(async () => {
      const invitation = standing(await this.invitations.lockByHash(digestOf(token)));
      const user = actor.userId ? await this.users.lock(actor.userId) : null;
      if (user?.email !== invitation.email) throw otherAddress();
      if (user.unconfirmedBy) throw unconfirmed();
      if (await this.members.find(invitation.organizationId, user.id)) throw alreadyMember();
      await this.join(user, invitation);
      return user;
    });
  }

  /** Nobody has signed in yet who could tell the organization's events of it: the system does. */
  private inNameOfSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.asSystem('accepting an invitation', () => this.unit.run(work));
  }

  /** Everything that an address was invited to, for a user whose issuer vouches that it is theirs. */
  async acceptAll(user: User): Promise<void> {
    for (const invitation of await this.invitations.lockOf(user.email))
      if (!(await this.members.find(invitation.organizationId, user.id))) await this.join(user, invitation);
  }

  private async join(user: User, invitation: Invitation): Promise<void> {
    const role = organizationRole(invitation.role);
    await this.invitations.update(invitation, { acceptedAt: new Date() });
    await this.members.put(invitation.organizationId, user.id, role);
    const added = [actorOf(user), invitation.organizationId, user, role, standingOf(user)] as const;
    await this.events.publish(new OrganizationMemberAdded(...added));
  }
}

function standing(invitation: Invitation | null): Invitation {
  if (!invitation)
    throw new AppError(404, 'NOT_FOUND', 'Not found', 'the invitation was not found', {
      remedy: 'Check that the URL is complete.',
    });
  if (invitation.acceptedAt)
    throw gone('INVITATION_ACCEPTED', 'the invitation was accepted already', 'Sign in: POST /api/auth/login.');
  if (invitation.deletedAt)
    throw gone(
      'INVITATION_WITHDRAWN',
      'the invitation was withdrawn or replaced by a newer one',
      'Use the newest one.',
    );
  if (invitation.expiresAt.getTime() <= Date.now())
    throw gone('INVITATION_EXPIRED', 'the invitation has expired', 'Ask an admin of the organization for a new one.');
  return invitation;
}

const gone = (code: string, detail: string, remedy: string): AppError =>
  new AppError(410, code, 'Gone', detail, { remedy });

const HOW_TO_ACCEPT = 'Choose a password for a new account, or send the token of the account that you have.';

const accountExists = (): Conflict =>
  new Conflict('ACCOUNT_EXISTS', 'the invited address has an account', {
    remedy:
      'Sign in (POST /api/auth/login) and send this request again with your token; POST /api/auth/password/forgot sets another password.',
  });

const otherAddress = (): Forbidden =>
  new Forbidden('the invitation is for another address than that of your account', {
    code: 'OTHER_ADDRESS',
    remedy: 'Sign in with the account of the invited address.',
  });

const unconfirmed = (): Conflict =>
  new Conflict('ACCOUNT_UNCONFIRMED', 'somebody else chose the password of your account', {
    remedy:
      'Confirm the account with the letter that you got, or ask for another: POST /api/auth/password/forgot. Without mail the operator does it: npm run admin:reset.',
  });

const alreadyMember = (): Conflict =>
  new Conflict('ALREADY_MEMBER', 'you are a member of this organization already', {
    remedy: 'Nothing is left to do.',
  });
