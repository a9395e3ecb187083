import type { RelayView, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Card } from '../../ui/page'
import { ProgressBar } from '../../ui/spinner'
import { ExplainedFailure } from '../failures/explained-failure'
import { pointPath } from './paths'
import { atOldPort } from './pointed'
import styles from './relay.module.css'
import { useNameList } from './use-name-list'
import type { RelayActions } from './use-relay'

interface NoticesProps {
  readonly view: RelayView
  readonly tools: readonly ToolView[]
  readonly actions: RelayActions
  readonly onChangePort: () => void
}

/** The tools that get no answer while the relay does not run, with the two ways out. */
function Needed({ view, actions }: Pick<NoticesProps, 'view' | 'actions'>) {
  const { t } = useTranslation('relay')
  const nameList = useNameList()
  const pointed = view.tools.filter(({ isPointedHere }) => isPointedHere)
  if (pointed.length === 0) return null
  const isFailed = view.state === 'failed'
  const names = nameList(pointed.map(({ toolName }) => toolName))
  return (
    <Callout
      tone="danger"
      title={t('needed.title', { count: pointed.length, tools: names })}
      actions={
        <>
          <ButtonLink size="sm" variant={isFailed ? 'secondary' : 'ghost'} to={pointPath({ to: 'gateway' })}>
            {t('needed.point')}
          </ButtonLink>
          {isFailed ? null : (
            <Button size="sm" busy={actions.starting.isPending} onClick={actions.start}>
              {t('start')}
            </Button>
          )}
        </>
      }
    >
      {t(isFailed ? 'needed.textFailed' : 'needed.text')}
    </Callout>
  )
}

function Paused({ actions }: Pick<NoticesProps, 'actions'>) {
  const { t } = useTranslation('relay')
  const { pausing } = actions
  return (
    <Callout
      tone="warning"
      title={t('paused.title')}
      actions={
        <Button size="sm" busy={pausing.isPending} onClick={() => pausing.mutate({ paused: false })}>
          {t('resume')}
        </Button>
      }
    >
      {t('paused.text')}
    </Callout>
  )
}

/** Tools whose files hold a port that the relay does not listen on any more. */
function OldPort({ view, tools }: Pick<NoticesProps, 'view' | 'tools'>) {
  const { t } = useTranslation('relay')
  const nameList = useNameList()
  const old = atOldPort(tools, view)
  if (old.length === 0) return null
  return (
    <Callout
      tone="warning"
      title={t('oldPort.title', { count: old.length, tools: nameList(old.map(({ name }) => name)) })}
      actions={
        <ButtonLink size="sm" to={pointPath({ to: 'relay', toolIds: old.map(({ id }) => id) })}>
          {t('oldPort.point')}
        </ButtonLink>
      }
    >
      {t('oldPort.text', { port: view.port })}
    </Callout>
  )
}

function Starting() {
  const { t } = useTranslation('relay')
  return (
    <Card>
      <div className={styles.starting} role="status">
        <p>{t('starting')}</p>
        <ProgressBar label={t('starting')} />
      </div>
    </Card>
  )
}

/** What is wrong with the relay or with those that depend on it, each with its way out; nothing when all is well. */
export function RelayNotices({ view, tools, actions, onChangePort }: NoticesProps) {
  const { state } = view
  const { starting, stopping, pausing, start } = actions
  const failure = view.failure ?? (starting.error ?? stopping.error ?? pausing.error)?.failure
  if (state === 'starting') return <Starting />
  const isDown = state === 'off' || state === 'failed'
  return (
    <>
      {failure ? (
        <ExplainedFailure
          failure={failure}
          handlers={{ anotherPort: onChangePort, tryAgain: start }}
          busy={starting.isPending}
        />
      ) : null}
      {isDown ? <Needed view={view} actions={actions} /> : null}
      {state === 'paused' ? <Paused actions={actions} /> : null}
      <OldPort view={view} tools={tools} />
    </>
  )
}
