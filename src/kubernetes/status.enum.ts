import { graphqlEnum } from '../core/schema/view-fields.js';

export const CLUSTER_STATUSES = ['ENABLED', 'CONNECTED', 'DISABLED', 'PROCESSING', 'UNKNOWN'] as const;
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number];

/** The GraphQL enum of the interface for the status of objects on a cluster. */
export const StatusEnum = graphqlEnum('Status', CLUSTER_STATUSES, 'The status of something on a cluster.');
