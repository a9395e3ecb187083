import type { RotationView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useNow } from '../../relative-time'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { handoutPath } from '../handouts/paths'
import { leftTools } from './progress'

interface OutcomeProps {
  readonly rotation: RotationView
}

function Stopped({ rotation }: OutcomeProps) {
  const { t } = useTranslation('rotation')
  const { locale } = useFormats()
  const left = leftTools(rotation)
  const isBack = rotation.undoSteps !== undefined
  if (left.length === 0 && rotation.state === 'failed') return null
  if (left.length === 0) {
    return (
      <Callout tone="warning" title={t(isBack ? 'view.stoppedBack' : 'view.stopped')}>
        {t(isBack ? 'view.stoppedBackText' : 'view.stoppedText')}
      </Callout>
    )
  }
  const names = new Intl.ListFormat(locale, { type: 'conjunction' }).format(left.map(({ toolName }) => toolName))
  return (
    <Callout tone="warning" title={t('view.bothAlive')}>
      {t(isBack ? 'view.bothAliveBack' : 'view.bothAliveText', { tools: names })}
    </Callout>
  )
}

function HandOut({ rotation }: OutcomeProps) {
  const { t } = useTranslation('rotation')
  const { planId, newKeyId } = rotation
  if (newKeyId === undefined) return null
  return (
    <ButtonLink size="sm" to={handoutPath({ planId, keyId: newKeyId })}>
      {t('view.handOut')}
    </ButtonLink>
  )
}

/** What a rotation has come to, in a sentence, with what to do next. Of one that runs the steps say enough. */
export function Outcome({ rotation }: OutcomeProps) {
  const { t } = useTranslation('rotation')
  const { relative } = useFormats()
  const now = useNow()
  const { state, oldKeyName: key, newKeyName: newKey, deleteAt } = rotation
  if (state === 'running') return null
  if (state === 'stopped' || state === 'failed') return <Stopped rotation={rotation} />
  if (state === 'undone') {
    return (
      <Callout tone="info" title={t('view.undone', { key })}>
        {t('view.undoneText')}
      </Callout>
    )
  }
  const isDone = state === 'done'
  const when = deleteAt === undefined ? '' : relative(deleteAt, now).short
  return (
    <Callout
      tone={isDone ? 'success' : 'info'}
      title={isDone ? t('view.done', { key, newKey }) : t('view.waiting', { key, when })}
      actions={<HandOut rotation={rotation} />}
    >
      {isDone ? t('view.doneText') : t('view.waitingText', { newKey })}
    </Callout>
  )
}
