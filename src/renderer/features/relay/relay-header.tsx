import type { RelayView } from '@shared/contract'
import { CirclePause, CirclePlay, CircleStop, Play } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { pointPath } from './paths'
import styles from './relay.module.css'
import { useNameList } from './use-name-list'
import type { RelayActions } from './use-relay'

/** The colour of each state; the word goes with it. */
export const relayTones: Record<RelayView['state'], Tone> = {
  off: 'neutral',
  starting: 'accent',
  on: 'success',
  paused: 'warning',
  failed: 'danger',
}

/** Where it listens, what is under way, and how many depend on it. */
function State({ view }: { readonly view: RelayView }) {
  const { t } = useTranslation('relay')
  const { state, port, open } = view
  const count = view.tools.filter(({ isPointedHere }) => isPointedHere).length
  if (state === 'starting') return null
  if (state !== 'on' && state !== 'paused')
    return <Facts items={[t('state.off'), count > 0 && t('state.offNeeded', { count })]} />
  return (
    <Facts
      items={[
        <span key="at" className={styles.ports}>
          {t('state.address', { address: `127.0.0.1:${port}` })}
        </span>,
        count > 0 && t('state.tools', { count }),
        open > 0 && t('state.open', { count: open }),
      ]}
    />
  )
}

/** Stops at once, or asks first when tools depend on it. */
function StopButton({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const { t } = useTranslation('relay')
  const [isAsking, setIsAsking] = useState(false)
  const nameList = useNameList()
  const pointed = view.tools.filter(({ isPointedHere }) => isPointedHere)
  const stop = (): void => actions.stopping.mutate({}, { onSettled: () => setIsAsking(false) })
  return (
    <>
      <Button
        icon={CircleStop}
        busy={actions.stopping.isPending}
        onClick={() => (pointed.length > 0 ? setIsAsking(true) : stop())}
      >
        {t('stop')}
      </Button>
      <ConfirmDialog
        danger
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('stopAsk.title')}
        description={t('stopAsk.text', {
          count: pointed.length,
          tools: nameList(pointed.map(({ toolName }) => toolName)),
        })}
        confirmLabel={t('stopAsk.confirm')}
        busy={actions.stopping.isPending}
        onConfirm={stop}
      >
        <Link className={styles.link} to={pointPath({ to: 'gateway' })}>
          {t('stopAsk.point')}
        </Link>
      </ConfirmDialog>
    </>
  )
}

function Buttons({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const { t } = useTranslation('relay')
  const { state } = view
  const { starting, pausing, start } = actions
  // The first step of who uses it with no tool yet is another one.
  const isUsed = view.tools.some(({ isPointedHere }) => isPointedHere)
  if (state === 'on' || state === 'paused') {
    const isPaused = state === 'paused'
    return (
      <>
        <StopButton view={view} actions={actions} />
        <Button
          variant={isPaused ? 'primary' : 'secondary'}
          icon={isPaused ? CirclePlay : CirclePause}
          busy={pausing.isPending}
          onClick={() => pausing.mutate({ paused: !isPaused })}
        >
          {t(isPaused ? 'resume' : 'pause')}
        </Button>
      </>
    )
  }
  return (
    <Button
      variant={isUsed ? 'primary' : 'secondary'}
      icon={Play}
      busy={starting.isPending || state === 'starting'}
      onClick={start}
    >
      {t('start')}
    </Button>
  )
}

/** The head of the relay's page: its state, and starting, stopping, pausing it. */
export function RelayHeader({
  view,
  actions,
}: {
  readonly view: RelayView | undefined
  readonly actions: RelayActions
}) {
  const { t } = useTranslation('relay')
  return (
    <PageHeader
      title={t('title')}
      badge={view ? <Badge tone={relayTones[view.state]}>{t(`states.${view.state}`)}</Badge> : null}
      state={view ? <State view={view} /> : null}
      actions={view ? <Buttons view={view} actions={actions} /> : null}
    />
  )
}
