import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { hashPassword } from '../../core/crypto/password-hashing.js';
import { hashSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError, Conflict, Forbidden, InvalidRequest } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationMemberAdded } from '../memberships/member.events.js';
import { toOrganizationRole, accountStateOf } from '../memberships/member.view.js';
import { MembersStore } from '../memberships/members.store.js';
import { AccountsService, actorForUser } from '../users/accounts.service.js';
import { hasPlaceholder, type User } from '../users/user.entity.js';
import { userPolicy } from '../users/user.policy.js';
import { UsersStore } from '../users/users.store.js';
import type { Invitation } from './invitation.entity.js';
import type { Acceptance } from './invitation.inputs.js';
import { InvitationsStore } from './invitations.store.js';

/** Accepts invitations. */
@Injectable()
export class AcceptancesService {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly accounts: AccountsService,
    private readonly users: UsersStore,
    private readonly members: MembersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @throws AppError 404 for an unknown token, 410 for one that can no longer be used */
  async getByToken(token: string): Promise<Invitation> {
    const find = () => this.invitations.findByHash(hashSecretToken(token));
    return assertAcceptable(await this.unit.runAsSystem('reading an invitation', find));
  }

  getOrganizationName({ organizationId }: Invitation): Promise<string> {
    return this.unit.runAsSystem('reading an invitation', () => this.invitations.findOrganizationName(organizationId));
  }

  /**
   * Creates the account of the invited user, once, and makes them a member. The URL alone does not prove ownership of the address,
   * because the inviter has seen it: the account is unconfirmed unless the request contains the proof from the email, which does
   * not exist without a mail server.
   * @throws AppError as `getByToken` does; Conflict when the address already has an account, which is not changed
   */
  async accept(token: string, proof: string | undefined, input: Acceptance): Promise<User> {
    const { email } = await this.getByToken(token);
    if (input.password === undefined) throw InvalidRequest.forField('/password', 'is required', HOW_TO_ACCEPT);
    const passwordHash = await hashPassword(input.password, email);
    return this.runAsSystem(async () => {
      const invitation = assertAcceptable(await this.invitations.lockByHash(hashSecretToken(token)));
      if (await this.accounts.reserve(invitation.email)) throw accountExists();
      const { proofHash, invitedBy } = invitation;
      const isProven = proofHash !== null && proof !== undefined && timingSafeEqual(hashSecretToken(proof), proofHash);
      const user = await this.accounts.create({
        email: invitation.email,
        firstName: input.first_name ?? invitation.firstName,
        lastName: input.last_name ?? invitation.lastName,
        passwordHash,
        unconfirmedBy: isProven ? null : invitedBy,
      });
      await this.addMember(user, invitation);
      return user;
    });
  }

  /**
   * Makes the caller a member, when the invitation is for their address and only they know the password of the account. A user of
   * the issuer whose address is not verified accepts with the URL alone. Without a
   * mail server, an account that was created with the URL of an invitation is accepted too, because the caller has the URL of this
   * invitation, which only its sender has seen.
   * @throws AppError as `getByToken` does; Forbidden for the invitation of another address; Conflict
   */
  async acceptAs(actor: Actor, token: string): Promise<User> {
    assertScope(actor, userPolicy.acceptInvitation);
    return this.runAsSystem(async () => {
      const invitation = assertAcceptable(await this.invitations.lockByHash(hashSecretToken(token)));
      const user = actor.userId ? await this.users.lock(actor.userId) : null;
      if (!user || (user.email !== invitation.email && !hasPlaceholder(user))) throw otherAddress();
      if (user.unconfirmedBy && !(await this.invitations.wasAcceptedWithoutEmail(user.email))) throw unconfirmed();
      if (await this.members.find(invitation.organizationId, user.id)) throw alreadyMember();
      await this.addMember(user, invitation);
      return user;
    });
  }

  /** Runs as the system, because no caller is signed in who could publish the organization's events. */
  private runAsSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem('accepting an invitation', () => this.unit.run(work));
  }

  /** Accepts all invitations for the address of a user, which the issuer of the user has verified. */
  async acceptAll(user: User): Promise<void> {
    for (const invitation of await this.invitations.lockByEmail(user.email))
      if (!(await this.members.find(invitation.organizationId, user.id))) await this.addMember(user, invitation);
  }

  private async addMember(user: User, invitation: Invitation): Promise<void> {
    const role = toOrganizationRole(invitation.role);
    await this.invitations.update(invitation, { acceptedAt: new Date() });
    await this.members.setRole(invitation.organizationId, user.id, role);
    const added = [actorForUser(user), invitation.organizationId, user, role, accountStateOf(user)] as const;
    await this.events.publish(new OrganizationMemberAdded(...added));
  }
}

function assertAcceptable(invitation: Invitation | null): Invitation {
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
  new Conflict('ACCOUNT_UNCONFIRMED', 'another user chose the password of your account', {
    remedy:
      'Confirm the account with the email that you got, or ask for another: POST /api/auth/password/forgot. Without mail the operator does it: npm run admin:reset.',
  });

const alreadyMember = (): Conflict =>
  new Conflict('ALREADY_MEMBER', 'you are a member of this organization already', {
    remedy: 'Nothing is left to do.',
  });
