import type { SandboxView } from '@shared/contract'
import { CircleStop, FlaskConical, Play } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { EmptyState } from '../../ui/empty-state'
import { Card, Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { ProgressBar } from '../../ui/spinner'
import { ExplainedFailure } from '../failures/explained-failure'
import { usesPlan } from '../tools/sites'
import { ResetButton } from './reset-button'
import styles from './sandbox.module.css'
import { SandboxRunning } from './sandbox-running'

const tones: Record<SandboxView['state'], Tone> = {
  stopped: 'neutral',
  starting: 'accent',
  running: 'success',
  failed: 'danger',
}

/** Starts and stops the sandbox. */
function useSandboxActions() {
  const opening = useAction('sandbox.open', { invalidates: ['sandbox', 'plans'] })
  const stopping = useAction('sandbox.stop', { invalidates: ['sandbox', 'plans'] })
  const start = (anotherPort = false): void => {
    opening.mutate(anotherPort ? { anotherPort: true } : {})
  }
  return { opening, stopping, start }
}

type Actions = ReturnType<typeof useSandboxActions>

/** Stops at once, or asks first when tools are set up with the sandbox. */
function StopButton({ view, actions }: { view: SandboxView; actions: Actions }) {
  const { t } = useTranslation('sandbox')
  const [isAsking, setIsAsking] = useState(false)
  const { data: tools = [] } = useCall('tools.list', {})
  const users = tools.filter((tool) => usesPlan(tool, view.planId))
  const stop = (): void => actions.stopping.mutate({}, { onSettled: () => setIsAsking(false) })
  return (
    <>
      <Button
        icon={CircleStop}
        busy={actions.stopping.isPending}
        onClick={() => (users.length > 0 ? setIsAsking(true) : stop())}
      >
        {t('stop')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('stopTitle')}
        description={t('stopText', { tools: users.map(({ name }) => name).join(', ') })}
        confirmLabel={t('stopConfirm')}
        busy={actions.stopping.isPending}
        onConfirm={stop}
      />
    </>
  )
}

function Content({ view, actions }: { view: SandboxView; actions: Actions }) {
  const { t } = useTranslation('sandbox')
  const { opening, start } = actions
  const failure = view.failure ?? opening.error?.failure
  if (view.state === 'running') return <SandboxRunning view={view} />
  if (view.state === 'starting' || opening.isPending) {
    return (
      <Card>
        <div className={styles.starting} role="status">
          <p>{t('starting')}</p>
          <ProgressBar label={t('starting')} />
        </div>
      </Card>
    )
  }
  if (failure) {
    return (
      <ExplainedFailure
        failure={failure}
        handlers={{ startSandbox: () => start(), anotherPort: () => start(true), tryAgain: () => start() }}
      />
    )
  }
  return (
    <EmptyState
      icon={FlaskConical}
      title={t('empty.title')}
      actions={
        <Button variant="primary" icon={Play} onClick={() => start()}>
          {t('start')}
        </Button>
      }
    >
      {t('empty.text')}
    </EmptyState>
  )
}

/** The built-in sandbox: a gateway on this computer to explore with. */
export function SandboxPage() {
  const { t } = useTranslation('sandbox')
  const query = useCall('sandbox.get', {})
  const actions = useSandboxActions()
  const state = query.data?.state
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        state={t('about')}
        badge={state ? <Badge tone={tones[state]}>{t(`states.${state}`)}</Badge> : null}
        actions={
          query.data?.state === 'running' ? (
            <>
              <ResetButton />
              <StopButton view={query.data} actions={actions} />
            </>
          ) : null
        }
      />
      <Loaded query={query} skeleton={<SkeletonRows rows={3} />}>
        {(view) => <Content view={view} actions={actions} />}
      </Loaded>
    </Page>
  )
}
