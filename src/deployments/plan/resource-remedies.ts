export const PLAN_AGAIN = 'Plan again, and deploy with the new plan_id.';

/** Remedies for resources that cannot be, or were not, deployed, by the reason of the error. */
const REMEDIES: Record<string, string> = {
  IMMUTABLE:
    'Deploy with replace: true, which deletes and recreates the object, with force: true where another manager has set the field, or undo the change.',
  FIELD_CONFLICT: 'Leave the fields out of the design, or deploy with force: true to take them over.',
  NOT_OWNED: 'Deploy with adopt: true to take the object over, or choose another name or namespace.',
  NAMESPACE_NOT_FOUND:
    'Deploy with this namespace and create_namespace: true, add it to the design, or create it on the cluster.',
  TERMINATING: 'Wait until the namespace is gone, and deploy again.',
  WEBHOOK_FAILED: 'Check that the webhook that the error names runs on the cluster.',
  DENIED: 'Change the object as the policy of the cluster demands.',
  QUOTA_EXCEEDED: 'Ask for less, or raise the resource quota of the namespace.',
  INVALID: 'Correct the fields that the error names in the design, and deploy it again.',
  UNKNOWN_KIND: 'Install the definition of the kind on the cluster, or add it to the design.',
  API_UNAVAILABLE: 'Check the APIService on the cluster and what it points to, and deploy again once it is available.',
  NOT_ESTABLISHED: 'Check the definition on the cluster, and deploy again.',
  FORBIDDEN: 'Grant the missing right to the user of the credential, with a Role or ClusterRole.',
  NOT_READY: 'See the log and the events of the pods that the error names, and correct the design.',
  DUPLICATE: 'Leave one of the two out of the design.',
  GENERATED_NAME: 'Give the object a name in place of generateName.',
  STUCK: 'Check what the finalizers that the error names wait for, and deploy again once the object is gone.',
  CONFLICT: 'Deploy again: the object was changed or replaced on the cluster concurrently.',
  UNAUTHORIZED: 'Renew the credential of the connection, and deploy again.',
  HOOK_FAILED: 'See the log of the pod that the error names, correct the hook or what it needs, and deploy again.',
  HOOK_EXISTS: 'Delete the object, or give the hook the delete policy before-hook-creation, and deploy again.',
  FOREIGN_CONTENT: 'Move or delete the objects that this deployment does not own, and undeploy again.',
  PLAN_STALE: PLAN_AGAIN,
  TIMEOUT: 'Check that the cluster is responsive, and deploy again.',
};

export const findResourceRemedy = (reason: string): string | undefined => REMEDIES[reason];
