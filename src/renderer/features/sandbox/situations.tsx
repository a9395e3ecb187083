import type { SandboxSituation, SandboxView } from '@shared/contract'
import { Check, KeyRound, Server, Unplug } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useAction, useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Section } from '../../ui/page'
import { RadioOption } from '../../ui/radio-cards'
import { ControlRow } from '../../ui/rows'
import { toolPath } from '../tools'

/** Group of each simulated situation of the sandbox, by its cause. */
const causes: Readonly<Record<SandboxSituation, 'access' | 'service' | 'network' | 'none'>> = {
  normal: 'none',
  keyDisabled: 'access',
  planExpired: 'access',
  allowanceUsedUp: 'access',
  rateLimited: 'service',
  serverError: 'service',
  malformed: 'service',
  slow: 'network',
  cutStream: 'network',
  dropped: 'network',
}

const allSituations = Object.keys(causes) as readonly SandboxSituation[]

const groups = [
  { name: 'access', icon: KeyRound },
  { name: 'service', icon: Server },
  { name: 'network', icon: Unplug },
] as const

function SituationOption({ situation }: { readonly situation: SandboxSituation }) {
  const { t } = useTranslation('sandbox')
  const option = { value: situation, label: t(`situations.${situation}`), hint: t(`situations.${situation}Hint`) }
  return <RadioOption option={option} className="rounded-[5px] px-2.5 py-1.5 hover:bg-hover" />
}

function ChoiceGroup(props: { readonly group: (typeof groups)[number]; readonly active: SandboxSituation }) {
  const { group, active } = props
  const { t } = useTranslation('sandbox')
  const id = useId()
  const { name, icon: Icon } = group
  const situations = allSituations.filter((situation) => causes[situation] === name)
  return (
    <fieldset aria-labelledby={id} className="min-w-0 not-first:ml-1.5 not-first:border-l not-first:pl-1.5">
      <h3 id={id} className="flex min-h-6 items-center gap-1.5 px-2.5 pb-0.5 font-medium text-faint text-xs">
        <Icon size={13} strokeWidth={1.9} aria-hidden="true" />
        {t(`situations.groups.${name}`)}
        {situations.includes(active) ? (
          <span className="ml-auto">
            <Badge tone="warning">{t('situations.active')}</Badge>
          </span>
        ) : null}
      </h3>
      {situations.map((situation) => (
        <SituationOption key={situation} situation={situation} />
      ))}
    </fieldset>
  )
}

function VerifyTools({ planId }: { readonly planId: string | undefined }) {
  const { t } = useTranslation('sandbox')
  const { data = [] } = useCall('tools.list', {})
  const tools = data.filter(({ applied }) => applied !== undefined && applied.planId === planId)
  if (tools.length === 0) return <p className="text-muted text-sm">{t('situations.noTool')}</p>
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-muted text-sm">{t('situations.verifyHint')}</span>
      {tools.map(({ id, name }) => (
        <ButtonLink key={id} size="sm" to={toolPath(id, 'verify')}>
          {t('situations.verify', { tool: name })}
        </ButtonLink>
      ))}
    </div>
  )
}

export function FaultScenarioCards({ planId, situation = 'normal' }: Pick<SandboxView, 'planId' | 'situation'>) {
  const { t } = useTranslation('sandbox')
  const { mutate, error, isPending, variables } = useAction('sandbox.simulate', { invalidates: ['plans', 'sandbox'] })
  const activeSituation = isPending ? variables.situation : situation
  const chooseSituation = (value: string): void => {
    const chosenSituation = allSituations.find((candidate) => candidate === value)
    if (chosenSituation) mutate({ situation: chosenSituation })
  }
  return (
    <Section title={t('situations.title')} description={t('situations.hint')}>
      <div className="rounded-lg border bg-surface">
        <RadioGroup.Root
          className="p-1.5"
          value={activeSituation}
          onValueChange={chooseSituation}
          aria-label={t('situations.title')}
          aria-busy={isPending}
        >
          <SituationOption situation="normal" />
          <div className="mt-1.5 grid grid-cols-[repeat(auto-fit,minmax(200px,1fr))] border-t pt-2">
            {groups.map((group) => (
              <ChoiceGroup key={group.name} group={group} active={activeSituation} />
            ))}
          </div>
        </RadioGroup.Root>
        <ExpireTokens />
      </div>
      <ExplainedFailure failure={error?.failure} />
      <VerifyTools planId={planId} />
    </Section>
  )
}

/** Button that makes all issued sign-in tokens invalid. This happens once and is not a lasting situation. */
function ExpireTokens() {
  const { t } = useTranslation('sandbox', { keyPrefix: 'tokens' })
  const { time } = useFormats()
  const { mutate, isPending, isSuccess, submittedAt, error } = useAction('sandbox.expireTokens')
  return (
    <div className="border-t">
      <ControlRow
        label={t('title')}
        hint={t('hint')}
        control={[
          <span key="done" role="status" className="inline-flex items-center gap-1.25 text-success text-sm">
            {isSuccess ? (
              <>
                <Check size={13} strokeWidth={2.2} aria-hidden="true" />
                {t('done', { time: time(new Date(submittedAt).toISOString()) })}
              </>
            ) : null}
          </span>,
          { label: t('expire'), busy: isPending, onClick: () => mutate({}) },
        ]}
      >
        <ExplainedFailure failure={error?.failure} />
      </ControlRow>
    </div>
  )
}
