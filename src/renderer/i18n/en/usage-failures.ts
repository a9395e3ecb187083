import type { FailureCodeTexts } from './failure-codes'

/** Words for the failures of the relay and of the usage ledger. */
export const usageFailures: Pick<FailureCodeTexts, 'relay' | 'usage'> = {
  relay: {
    portInUse: {
      title: 'Another program uses the relay’s port',
      explanation: 'The relay could not take its port, because something else listens there.',
      remedy: 'Start it on another port. Tools that go through the relay then have to be pointed at it again.',
    },
    failed: {
      title: 'The relay did not start',
      explanation: 'Its process ended before it was ready, or stopped on its own.',
      remedy: 'Start it again.',
    },
    off: {
      title: 'The relay is off',
      explanation: 'Tools that go through the relay get no answer until it runs.',
      remedy: 'Start the relay, or point those tools straight at the gateway again.',
    },
  },
  usage: {
    unavailable: {
      title: 'The usage of this machine cannot be read',
      explanation: 'The file that holds it could not be opened. Nothing in it was changed or lost by that.',
      remedy: 'Try again. If it stays, make sure that the disk is not full and that no other program holds the file.',
    },
  },
}
