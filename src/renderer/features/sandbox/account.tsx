import type { SandboxRole, SandboxWorldView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { ControlRow } from '../../ui/control-row'
import { Segmented } from '../../ui/radio-cards'
import { ExplainedFailure } from '../failures/explained-failure'
import { CreditsField } from './credits-field'

const roles: readonly SandboxRole[] = ['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER']

interface AccountProps {
  readonly world: SandboxWorldView
}

function useCreditsHint({ credits, plan }: Pick<SandboxWorldView, 'credits' | 'plan'>): string {
  const { t } = useTranslation('sandbox', { keyPrefix: 'account' })
  const { money } = useFormats()
  if (!plan || plan.total === 0) return t('creditsAre')
  const times = Math.floor(credits / plan.total)
  const words = { plan: plan.name, price: money(plan.total) }
  return times === 0 ? t('creditsShort', words) : t('creditsEnough', { ...words, count: times })
}

/** Who the sandbox takes its caller for, and what that account can pay. */
export function Account({ world }: AccountProps) {
  const { t } = useTranslation('sandbox', { keyPrefix: 'account' })
  const { mutate, isPending, variables, error } = useAction('sandbox.setAccount', {
    invalidates: ['sandbox', 'account'],
  })
  const meant = { ...world, ...(isPending ? variables : {}) }
  const { role = world.role, credits = world.credits } = meant
  const creditsHint = useCreditsHint({ ...world, credits })
  const chooseRole = (value: string): void => {
    const chosen = roles.find((one) => one === value)
    if (chosen) mutate({ role: chosen })
  }
  return (
    <>
      <ControlRow
        label={t('role')}
        hint={t(`means.${role}`)}
        control={
          <Segmented
            label={t('role')}
            value={role}
            onValueChange={chooseRole}
            segments={roles.map((value) => ({ value, label: t(`roles.${value}`) }))}
          />
        }
      />
      <ControlRow
        label={t('credits')}
        hint={creditsHint}
        control={<CreditsField credits={credits} onChange={(next) => mutate({ credits: next })} />}
      >
        {error ? <ExplainedFailure failure={error.failure} /> : null}
      </ControlRow>
    </>
  )
}
