import type { PlaygroundRun } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call, useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ExplainedFailure, type RemedyHandlers } from '../failures/explained-failure'
import styles from './run-trouble.module.css'

export interface RunTroubleProps {
  readonly run: PlaygroundRun
  /** Asks another model of the same plan. */
  readonly onUseModel?: ((modelCode: string) => void) | undefined
  /** Asks the same again. */
  readonly onAgain?: (() => void) | undefined
  /** Leads to where the model is chosen. */
  readonly onChooseModel?: (() => void) | undefined
}

/** Where what is wrong with a target can be put right. */
function settledAt({ target }: PlaygroundRun): string {
  if (target.kind === 'plan') return `/plans/${encodeURIComponent(target.planId)}`
  return target.kind === 'platform' ? `/connections?show=${encodeURIComponent(target.connectionId)}` : '/playground'
}

function useHandlers({ run, onAgain, onChooseModel }: RunTroubleProps): RemedyHandlers {
  const navigate = useNavigate()
  const opening = useAction('sandbox.open', { onSuccess: () => onAgain?.() })
  const settle = (): void => void navigate(settledAt(run))
  const isHere = run.target.kind === 'local'
  return {
    tryAgain: onAgain,
    chooseModel: onChooseModel,
    choosePlan: onChooseModel ?? (() => void navigate('/plans')),
    pasteKey: isHere ? undefined : settle,
    setAddress: isHere ? onChooseModel : settle,
    startSandbox: () => opening.mutate({}),
    recheckVault: () => void call('app.recheckVault', {}).then(onAgain, onAgain),
  }
}

function OtherModels({ run, onUseModel }: Pick<RunTroubleProps, 'run' | 'onUseModel'>) {
  const { t } = useTranslation('playground')
  if (!onUseModel || !run.otherModels || run.otherModels.length === 0) return null
  return (
    <div className={styles.others}>
      <p>{t('trouble.otherModels')}</p>
      <div className={styles.models}>
        {run.otherModels.map((code) => (
          <Button key={code} size="sm" onClick={() => onUseModel(code)}>
            {code}
          </Button>
        ))}
      </div>
    </div>
  )
}

function Failed({ failure, ...props }: RunTroubleProps & { readonly failure: Failure }) {
  const { run } = props
  const handlers = useHandlers(props)
  const { data: plans = [] } = useCall('plans.list', {})
  const { target, requestAddress, status } = run
  const plan = target.kind === 'plan' ? plans.find(({ id }) => id === target.planId) : undefined
  const isSandbox = plan?.source === 'sandbox'
  const context = { plan: plan?.name, modelCode: target.modelCode, requestAddress, status, isSandbox }
  return (
    <div className={styles.trouble}>
      <ExplainedFailure failure={failure} context={context} handlers={handlers} />
      <OtherModels {...props} />
    </div>
  )
}

function Cut({ onAgain }: Pick<RunTroubleProps, 'onAgain'>) {
  const { t } = useTranslation('playground')
  const again = onAgain ? (
    <Button size="sm" onClick={onAgain}>
      {t('trouble.again')}
    </Button>
  ) : null
  return (
    <Callout tone="warning" title={t('trouble.cut')} actions={again}>
      {t('trouble.cutText')}
    </Callout>
  )
}

/** What went wrong with a run, in words and with what helps; that it was stopped or cut; nothing when all is well. */
export function RunTrouble(props: RunTroubleProps) {
  const { t } = useTranslation('playground')
  const { state, failure } = props.run
  if (state === 'stopped') return <p className={styles.mark}>{t('trouble.stopped')}</p>
  if (state === 'cut') return <Cut onAgain={props.onAgain} />
  return state === 'failed' && failure ? <Failed {...props} failure={failure} /> : null
}
