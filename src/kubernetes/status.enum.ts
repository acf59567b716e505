import { graphqlEnum } from '../core/schema/view-fields.js';

export const CLUSTER_STATUSES = ['ENABLED', 'CONNECTED', 'DISABLED', 'PROCESSING', 'UNKNOWN'] as const;
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number];

/** How something on a cluster stands, in the words of the interface. */
export const StatusEnum = graphqlEnum('Status', CLUSTER_STATUSES, 'How something on a cluster stands.');
