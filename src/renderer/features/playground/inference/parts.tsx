import type { PlaygroundRun, PlaygroundTarget } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { FileSearch } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { Button } from '../../../ui/button'
import { Hint } from '../../../ui/text'
import { RunDetails, RunInspector, TargetSelect } from '..'

/** Id of the button that selects the target. A page has one. */
const targetButton = 'inference-target'

/** Moves the focus to the target, so that the user can change it after a failure. */
export const focusTarget = (): void => document.getElementById(targetButton)?.focus()

/** Target of a completion or embeddings. Explains why plans cannot be selected. */
export function InferenceTarget({
  value,
  onChange,
}: {
  readonly value: PlaygroundTarget | undefined
  readonly onChange: (target: PlaygroundTarget) => void
}) {
  const { t } = useTranslation('inference')
  return (
    <>
      <TargetSelect
        label={t('target')}
        value={value}
        onChange={onChange}
        targetKinds={['platform', 'local']}
        standards={['chat-completions']}
        buttonId={targetButton}
      />
      {value ? null : <Hint>{t('noPlans')}</Hint>}
    </>
  )
}

/** Explains why a run could not start. */
export function StartFailure({
  failure,
  onAgain,
}: {
  readonly failure: Failure | undefined
  readonly onAgain: () => void
}) {
  const handlers = { tryAgain: onAgain, chooseModel: focusTarget, choosePlan: focusTarget }
  return <ExplainedFailure failure={failure} handlers={handlers} />
}

/** Details of a run with its inspector. */
export function RunFooter({ run, children }: { readonly run: PlaygroundRun; readonly children?: ReactNode }) {
  const { t } = useTranslation('inference')
  const [isInspected, setInspected] = useState(false)
  return (
    <footer className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <RunDetails run={run} />
      <div className="ml-auto flex items-center gap-1">
        {children}
        <Button size="sm" variant="ghost" icon={FileSearch} onClick={() => setInspected(true)}>
          {t('inspect')}
        </Button>
      </div>
      {isInspected ? <RunInspector runId={run.id} onClose={() => setInspected(false)} /> : null}
    </footer>
  )
}
