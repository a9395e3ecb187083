import type { BranchStep } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { memo } from 'react'
import { ErrorBoundary } from '../../ui/error-boundary'
import { Skeleton } from '../../ui/skeleton'
import { AnswerMessage } from './answer-message'
import { useBody } from './bodies'
import styles from './log.module.css'
import type { LogActions } from './use-log-actions'
import { UserMessage } from './user-message'

interface MessageRowProps {
  readonly step: BranchStep
  readonly isLast: boolean
  readonly actions: LogActions
}

/** One message of the branch; a grey shape until its body is there. */
export const MessageRow = memo(({ step, isLast, actions }: MessageRowProps) => {
  const message = useBody(step.id)
  if (!message) {
    return (
      <div className={styles[step.role === 'user' ? 'waitingUser' : 'waitingAnswer']}>
        <Skeleton width="72%" />
        {step.role === 'user' ? null : <Skeleton width="88%" />}
      </div>
    )
  }
  return (
    <ErrorBoundary fallback={() => <p className={styles.userText}>{withVisibleControls(message.text)}</p>}>
      {message.role === 'user' ? (
        <UserMessage message={message} step={step} actions={actions} />
      ) : (
        <AnswerMessage message={message} step={step} isLast={isLast} actions={actions} />
      )}
    </ErrorBoundary>
  )
})
