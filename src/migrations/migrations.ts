import type { Migration } from '../core/database/data-source.js';
import { Identity1764000000001 } from './1764000000001-identity.js';
import { Platform1764000000002 } from './1764000000002-platform.js';
import { Infrastructure1764000000003 } from './1764000000003-infrastructure.js';
import { Designs1764000000004 } from './1764000000004-designs.js';
import { AccessRole1764000000005 } from './1764000000005-access-role.js';
import { IdentityWhole1764000000006 } from './1764000000006-identity-whole.js';
import { WorkspacesWhole1764000000007 } from './1764000000007-workspaces-whole.js';
import { RowSecurity1764000000008 } from './1764000000008-row-security.js';
import { DataKeyRotation1764000000009 } from './1764000000009-data-key-rotation.js';
import { Registry1764000000010 } from './1764000000010-registry.js';
import { DesignsWhole1764000000011 } from './1764000000011-designs-whole.js';
import { Filters1764000000012 } from './1764000000012-filters.js';
import { DeploymentsInUse1764000000013 } from './1764000000013-deployments-in-use.js';
import { DeploymentChanges1764000000014 } from './1764000000014-deployment-changes.js';
import { IdentitySafe1764000000016 } from './1764000000016-identity-safe.js';
import { RowSecurityOfWrites1764000000020 } from './1764000000020-row-security-of-writes.js';
import { RecordTotals1764000000022 } from './1764000000022-record-totals.js';
import { MembershipNotices1764000000023 } from './1764000000023-membership-notices.js';
import { WebhookPauses1764000000025 } from './1764000000025-webhook-pauses.js';
import { SearchCandidates1764000000026 } from './1764000000026-search-candidates.js';
import { Freezes1764000000030 } from './1764000000030-freezes.js';
import { Policies1764000000031 } from './1764000000031-policies.js';
import { Approvals1764000000032 } from './1764000000032-approvals.js';
import { PlannedActions1764000000033 } from './1764000000033-planned-actions.js';
import { DeployedClusters1764000000034 } from './1764000000034-deployed-clusters.js';
import { DeployedNamespace1764000000035 } from './1764000000035-deployed-namespace.js';
import { SearchOfPeople1764000000036 } from './1764000000036-search-of-people.js';
import { ClusterResources1764000000037 } from './1764000000037-cluster-resources.js';
import { Drift1764000000038 } from './1764000000038-drift.js';
import { Controllers1764000000039 } from './1764000000039-controllers.js';
import { EventErasure1764000000040 } from './1764000000040-event-erasure.js';
import { Webhooks1764000000044 } from './1764000000044-webhooks.js';
import { Audit1764000000045 } from './1764000000045-audit.js';
import { Notifications1764000000047 } from './1764000000047-notifications.js';
import { NotificationMails1764000000048 } from './1764000000048-notification-mails.js';
import { Performance1764000000049 } from './1764000000049-performance.js';
import { StaleWatches1764000000052 } from './1764000000052-stale-watches.js';
import { WebhookQueue1764000000053 } from './1764000000053-webhook-queue.js';
import { WebhookDeferrals1764000000054 } from './1764000000054-webhook-deferrals.js';
import { AuditAttach1764000000055 } from './1764000000055-audit-attach.js';
import { DriftedObjects1764000000056 } from './1764000000056-drifted-objects.js';
import { AppliedFields1764000000057 } from './1764000000057-applied-fields.js';
import { KeptLists1764000000058 } from './1764000000058-kept-lists.js';
import { EventFeed1764000000064 } from './1764000000064-event-feed.js';
import { ConcernedOrganization1764000000065 } from './1764000000065-concerned-organization.js';
import { AppendEvents1764000000066 } from './1764000000066-append-events.js';
import { SearchOfLargeOrganizations1764000000067 } from './1764000000067-search-of-large-organizations.js';
import { GrantedByKind1764000000068 } from './1764000000068-granted-by-kind.js';
import { AuditOfInserts1764000000069 } from './1764000000069-audit-of-inserts.js';
import { AuditOfProgress1764000000070 } from './1764000000070-audit-of-progress.js';
import { IdempotencyLeases1764000000074 } from './1764000000074-idempotency-leases.js';
import { AuditOfEvents1764000000075 } from './1764000000075-audit-of-events.js';
import { AuditChainSignatures1764000000076 } from './1764000000076-audit-chain-signatures.js';
import { AuditOfRequesters1764000000079 } from './1764000000079-audit-of-requesters.js';
import { EventErasureByFeed1764000000080 } from './1764000000080-event-erasure-by-feed.js';
import { RenderingsOfCharts1764000000081 } from './1764000000081-renderings-of-charts.js';
import { KeptObjects1764000000084 } from './1764000000084-kept-objects.js';
import { AddedFields1764000000090 } from './1764000000090-added-fields.js';
import { OrderOfNames1764000000095 } from './1764000000095-order-of-names.js';
import { CredentialEnteredBy1764000000103 } from './1764000000103-credential-entered-by.js';
import { ConnectionMetadataSecrets1764000000104 } from './1764000000104-connection-metadata-secrets.js';
import { JobCancelledBy1764000000105 } from './1764000000105-job-cancelled-by.js';
import { AuditErasureOfAddresses1764000000106 } from './1764000000106-audit-erasure-of-addresses.js';
import { AddressesInOneForm1764000000107 } from './1764000000107-addresses-in-one-form.js';
import { RowSecurityOfAllTables1764000000108 } from './1764000000108-row-security-of-all-tables.js';
import { NotificationSilences1764000000109 } from './1764000000109-notification-silences.js';
import { SharedWatches1764000000113 } from './1764000000113-shared-watches.js';
import { KeptObjectUids1764000000118 } from './1764000000118-kept-object-uids.js';
import { PlaceOfGeneratedValues1764000000119 } from './1764000000119-place-of-generated-values.js';
import { MailDeliveries1764000000129 } from './1764000000129-mail-deliveries.js';
import { PerformanceStages1764000000137 } from './1764000000137-performance-stages.js';

/** All migrations, oldest first. */
export const migrations: Migration[] = [
  Identity1764000000001,
  Platform1764000000002,
  Infrastructure1764000000003,
  Designs1764000000004,
  AccessRole1764000000005,
  IdentityWhole1764000000006,
  WorkspacesWhole1764000000007,
  RowSecurity1764000000008,
  DataKeyRotation1764000000009,
  Registry1764000000010,
  DesignsWhole1764000000011,
  Filters1764000000012,
  DeploymentsInUse1764000000013,
  DeploymentChanges1764000000014,
  IdentitySafe1764000000016,
  RowSecurityOfWrites1764000000020,
  RecordTotals1764000000022,
  MembershipNotices1764000000023,
  WebhookPauses1764000000025,
  SearchCandidates1764000000026,
  Freezes1764000000030,
  Policies1764000000031,
  Approvals1764000000032,
  PlannedActions1764000000033,
  DeployedClusters1764000000034,
  DeployedNamespace1764000000035,
  SearchOfPeople1764000000036,
  ClusterResources1764000000037,
  Drift1764000000038,
  Controllers1764000000039,
  EventErasure1764000000040,
  Webhooks1764000000044,
  Audit1764000000045,
  Notifications1764000000047,
  NotificationMails1764000000048,
  Performance1764000000049,
  StaleWatches1764000000052,
  WebhookQueue1764000000053,
  WebhookDeferrals1764000000054,
  AuditAttach1764000000055,
  DriftedObjects1764000000056,
  AppliedFields1764000000057,
  KeptLists1764000000058,
  EventFeed1764000000064,
  ConcernedOrganization1764000000065,
  AppendEvents1764000000066,
  SearchOfLargeOrganizations1764000000067,
  GrantedByKind1764000000068,
  AuditOfInserts1764000000069,
  AuditOfProgress1764000000070,
  IdempotencyLeases1764000000074,
  AuditOfEvents1764000000075,
  AuditChainSignatures1764000000076,
  AuditOfRequesters1764000000079,
  EventErasureByFeed1764000000080,
  RenderingsOfCharts1764000000081,
  KeptObjects1764000000084,
  AddedFields1764000000090,
  OrderOfNames1764000000095,
  CredentialEnteredBy1764000000103,
  ConnectionMetadataSecrets1764000000104,
  JobCancelledBy1764000000105,
  AuditErasureOfAddresses1764000000106,
  AddressesInOneForm1764000000107,
  RowSecurityOfAllTables1764000000108,
  NotificationSilences1764000000109,
  SharedWatches1764000000113,
  KeptObjectUids1764000000118,
  PlaceOfGeneratedValues1764000000119,
  MailDeliveries1764000000129,
  PerformanceStages1764000000137,
];
