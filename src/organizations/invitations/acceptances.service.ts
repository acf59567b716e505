import { Injectable } from '@nestjs/common';
import { hashPassword } from '../../core/crypto/passwords.js';
import { digestOf } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError, Conflict } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationMemberAdded } from '../members/member.events.js';
import { organizationRole } from '../members/member.view.js';
import { MembersStore } from '../members/members.store.js';
import { Accounts, actorOf } from '../users/accounts.js';
import type { User } from '../users/user.entity.js';
import type { Invitation } from './invitation.entity.js';
import type { Acceptance } from './invitation.inputs.js';
import { InvitationsStore } from './invitations.store.js';

/** What becomes of invitations. Whoever has the token may accept: it is the only proof that is asked for. */
@Injectable()
export class AcceptancesService {
  constructor(
    private readonly invitations: InvitationsStore,
    private readonly accounts: Accounts,
    private readonly members: MembersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @throws AppError 404 for a token that never was, 410 for one that can no longer be used */
  async read(token: string): Promise<Invitation> {
    return standing(await this.invitations.findByHash(digestOf(token)));
  }

  /**
   * Makes the account of the invited, once, and makes them a member.
   * @throws AppError as `read` does; Conflict when the address has an account by now, which stays as it is
   */
  async accept(token: string, input: Acceptance): Promise<User> {
    await this.read(token);
    const passwordHash = await hashPassword(input.password);
    return this.inNameOfSystem(async () => {
      const invitation = standing(await this.invitations.lockByHash(digestOf(token)));
      if (await this.accounts.reserve(invitation.email)) throw accountExists();
      const user = await this.accounts.make({
        email: invitation.email,
        firstName: input.first_name ?? invitation.firstName,
        lastName: input.last_name ?? invitation.lastName,
        passwordHash,
      });
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
    for (const invitation of await this.invitations.lockOf(user.email)) await this.join(user, invitation);
  }

  private async join(user: User, invitation: Invitation): Promise<void> {
    const role = organizationRole(invitation.role);
    await this.invitations.update(invitation, { acceptedAt: new Date() });
    await this.members.put(invitation.organizationId, user.id, role);
    await this.events.publish(new OrganizationMemberAdded(actorOf(user), invitation.organizationId, user, role));
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

const accountExists = (): Conflict =>
  new Conflict('ACCOUNT_EXISTS', 'the invited address has an account by now', {
    remedy: 'Ask an admin of the organization to add the address again: it is then added at once.',
  });
