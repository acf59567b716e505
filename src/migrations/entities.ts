import type { EntityClass } from '../core/database/data-source.js';
import { DataKey } from '../core/crypto/data-key.entity.js';
import { RecordTotal } from '../core/records/record-total.entity.js';
import { IdempotencyKey } from '../core/rest/idempotency-key.entity.js';
import { JobRecord } from '../jobs/job.entity.js';
import { Invitation } from '../organizations/invitations/invitation.entity.js';
import { OrganizationMember } from '../organizations/memberships/organization-member.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { Team, TeamMember } from '../organizations/teams/team.entity.js';
import { User } from '../organizations/users/user.entity.js';
import { FailedAttempt, KnownNetwork } from '../auth/attempts/attempt.entity.js';
import { PasswordReset } from '../auth/passwords/password-reset.entity.js';
import { PersonalToken } from '../auth/personal-tokens/personal-token.entity.js';
import { Session, RefreshToken } from '../auth/sessions/session.entity.js';
import { Connection } from '../connections/connection.entity.js';
import { Credential } from '../connections/credentials/credential.entity.js';
import { ClusterResource } from '../kubernetes/resources/cluster-resource.entity.js';
import { ControllerInstallation } from '../kubernetes/controllers/controller-installation.entity.js';
import { ClusterWatch } from '../kubernetes/resources/watch/cluster-watch.entity.js';
import { ComponentSchema } from '../registry/components/component-schema.entity.js';
import { Component } from '../registry/components/component.entity.js';
import { RegistryRevision } from '../registry/entities/registry-revision.entity.js';
import { Model } from '../registry/models/model.entity.js';
import { Registrant } from '../registry/registrants/registrant.entity.js';
import { ConnectionDefinitionRecord } from '../registry/registration/connection-definition.entity.js';
import { RegisteredPackage } from '../registry/registration/registered-package.entity.js';
import { Relationship } from '../registry/relationships/relationship.entity.js';
import { EnvironmentConnection } from '../environments/connections/environment-connection.entity.js';
import { Environment } from '../environments/environment.entity.js';
import { Freeze } from '../environments/freezes/freeze.entity.js';
import { WorkspaceEnvironment } from '../workspaces/environments/workspace-environment.entity.js';
import { WorkspaceMember } from '../workspaces/members/workspace-member.entity.js';
import { WorkspaceTeam } from '../workspaces/teams/workspace-team.entity.js';
import { Workspace } from '../workspaces/workspace.entity.js';
import { Publication } from '../designs/catalog/publication.entity.js';
import { PublishedDesign } from '../designs/published-design.entity.js';
import { Design } from '../designs/design.entity.js';
import { DesignVersion } from '../designs/contents/design-version.entity.js';
import { Snapshot } from '../designs/versions/snapshot.entity.js';
import { Filter } from '../filters/filter.entity.js';
import { KeptObjectsRecord } from '../deployments/kept-objects.entity.js';
import { DeployedDrift } from '../deployments/drift/deployed-drift.entity.js';
import { DeployedDesignRecord } from '../deployments/deployed-design.entity.js';
import { Deployment } from '../deployments/deployment.entity.js';
import { DeploymentPlan } from '../deployments/plans/deployment-plan.entity.js';
import { DeploymentChange } from '../deployments/runs/deployment-change.entity.js';
import { Installation } from '../deployments/runs/installation.entity.js';
import { Policy } from '../deployments/policies/policy.entity.js';
import { PerformanceProfile } from '../performance/profiles/profile.entity.js';
import { PerformanceRun } from '../performance/runs/run.entity.js';
import {
  AuditChain,
  AuditCheckpoint,
  AuditEntry,
  AuditForwarding,
  AuditKey,
  PendingAuditRow,
} from '../events/audit/audit.entity.js';
import { RecordedEvent, ReadMark, EventCounter } from '../events/event.entity.js';
import { NotificationMark, NotificationPosition } from '../events/notifications/inbox/notification-mark.entity.js';
import { NotificationFeed, NotificationMail } from '../events/notifications/mail/notification-mail.entity.js';
import { NotificationSettings } from '../events/notifications/settings/notification-settings.entity.js';
import {
  WebhookDeferral,
  WebhookDelivery,
  WebhookFeed,
  WebhookPause,
  WebhookQueueEntry,
} from '../events/webhooks/deliveries/webhook-delivery.entity.js';
import { Webhook } from '../events/webhooks/endpoints/webhook.entity.js';
import { Favourite } from '../overview/favourites/favourite.entity.js';

/** All entities, by the folder that owns their table, for the TypeORM data source. */
export const entities: EntityClass[] = [
  DataKey,
  IdempotencyKey,
  RecordTotal,
  JobRecord,
  Invitation,
  OrganizationMember,
  Organization,
  Team,
  TeamMember,
  User,
  FailedAttempt,
  KnownNetwork,
  PasswordReset,
  PersonalToken,
  Session,
  RefreshToken,
  Connection,
  Credential,
  ClusterResource,
  ClusterWatch,
  ControllerInstallation,
  ComponentSchema,
  Component,
  RegistryRevision,
  Model,
  Registrant,
  ConnectionDefinitionRecord,
  RegisteredPackage,
  Relationship,
  EnvironmentConnection,
  Environment,
  Freeze,
  WorkspaceEnvironment,
  WorkspaceMember,
  WorkspaceTeam,
  Workspace,
  Publication,
  PublishedDesign,
  Design,
  DesignVersion,
  Snapshot,
  Filter,
  DeployedDesignRecord,
  DeployedDrift,
  KeptObjectsRecord,
  Deployment,
  DeploymentPlan,
  DeploymentChange,
  Installation,
  Policy,
  PerformanceProfile,
  PerformanceRun,
  RecordedEvent,
  ReadMark,
  EventCounter,
  Webhook,
  WebhookDeferral,
  WebhookDelivery,
  WebhookFeed,
  WebhookPause,
  WebhookQueueEntry,
  PendingAuditRow,
  AuditEntry,
  AuditChain,
  AuditKey,
  AuditCheckpoint,
  AuditForwarding,
  NotificationSettings,
  NotificationMark,
  NotificationPosition,
  NotificationMail,
  NotificationFeed,
  Favourite,
];
