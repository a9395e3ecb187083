import type { OperationKind } from '@shared/contract'

/** Words of the operations in progress. */
export const operations = {
  title: 'Operations',
  hint: 'What goes on in the background. The app sees it through to the end, also after a restart.',
  open: 'Show the operations',
  running_one: '{{count}} operation running',
  running_other: '{{count}} operations running',
  failed_one: '{{count}} operation failed',
  failed_other: '{{count}} operations failed',
  done_one: '{{count}} operation done',
  done_other: '{{count}} operations done',
  needs_one: '{{count}} operation needs you',
  needs_other: '{{count}} operations need you',
  progress: '{{ended}} of {{count}} ended',
  list: 'Operations',
  clear: 'Clear the finished ones',
  at: 'at {{connection}}',
  began: 'began {{when}}',
  ended: 'ended {{when}}',
  dismiss: 'Take “{{what}}” off the list',
  stopWatching: 'Stop watching “{{what}}”',
  look: 'Look at it',
  lookNamed: 'Look at “{{what}}”',
  retry: 'Watch it again',
  retryNamed: 'Watch “{{what}}” again',
  kinds: {
    'apiKey.create': {
      running: 'Creating API key {{subject}}',
      succeeded: 'API key {{subject}} is ready',
      failed: 'API key {{subject}} was not created',
    },
    'apiKey.delete': {
      running: 'Deleting API key {{subject}}',
      succeeded: 'API key {{subject}} is deleted',
      failed: 'API key {{subject}} was not deleted',
    },
  } satisfies Record<OperationKind, Record<'running' | 'succeeded' | 'failed', string>>,
}
