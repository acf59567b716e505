import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { MAIL_PLACES } from '../../core/mail/mail-places.js';
import { mailRetryDelayMs } from '../../core/mail/mail-retries.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { OrganizationMemberRemoved, OrganizationMemberRoleChanged } from '../memberships/member.events.js';
import { UserDeactivated } from '../users/user.events.js';
import {
  INVITATION_MAIL_QUEUE,
  type InvitationMailPayload,
  InvitationMailsService,
} from './invitation-mails.service.js';
import { InvitationsService } from './invitations.service.js';

/** Handles the queue of invitation emails, and withdraws the invitations of users who may no longer invite. */
@Injectable()
export class InvitationsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly mails: InvitationMailsService,
    private readonly invitations: InvitationsService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    const { jobs, mails, invitations, events } = this;
    jobs.registerHandler<InvitationMailPayload>(INVITATION_MAIL_QUEUE, {
      ...MAIL_PLACES,
      handle: (job) => mails.send(job),
      retryDelayMs: mailRetryDelayMs,
    });
    const withdraw = ({
      organizationId,
      member,
    }: OrganizationMemberRemoved | OrganizationMemberRoleChanged): Promise<void> =>
      invitations.withdrawByInviter(member.id, organizationId);
    events.within(OrganizationMemberRemoved, withdraw);
    events.within(OrganizationMemberRoleChanged, withdraw);
    events.within(UserDeactivated, ({ user }) => invitations.withdrawByInviter(user.id));
  }
}
