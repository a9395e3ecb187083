import { useTranslation } from 'react-i18next'
import { Select, type SelectOption } from '../../ui/select'
import { planInScope } from './plan-choice'
import { CustomDays, SpanSelect } from './span-select'
import styles from './usage.module.css'
import { useKeyOptions, useModelOptions, useToolOptions } from './use-options'
import type { Usage } from './use-usage'
import { scopes } from './wanted'

/** Stands for "all of them"; nothing has this id. */
const every = ' every'

interface ChoiceProps {
  readonly of: 'plan' | 'model' | 'tool' | 'key'
  readonly value: string | undefined
  readonly options: readonly SelectOption[]
  readonly onChoose: (id: string | undefined) => void
  readonly disabled?: boolean
  /** There is always one. */
  readonly isNeeded?: boolean
}

/** The account that the console is asked about. */
const activeConnection = ({ console }: Usage): string | undefined =>
  console.kind === 'there' ? console.connection.id : undefined

/** One of what there is, or all; what is chosen stays to be seen when nobody knows it any more. */
function Choice({ of, value, options, onChoose, disabled = false, isNeeded = false }: ChoiceProps) {
  const { t } = useTranslation('usage')
  const isKnown = value === undefined || options.some((option) => option.value === value)
  return (
    <Select
      aria-label={t(`filters.${of}`)}
      value={value ?? every}
      disabled={disabled}
      onValueChange={(id) => onChoose(id === every ? undefined : id)}
      options={[
        ...(isNeeded ? [] : [{ value: every, label: t(`filters.every.${of}`) }]),
        ...options,
        ...(isKnown ? [] : [{ value, label: value, hint: t('filters.gone') }]),
      ]}
    />
  )
}

function ScopeSelect({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const choose = (value: string): void => {
    const scope = scopes.find((one) => one === value)
    if (!scope) return
    // Ids of plans and keys differ between an account and this machine.
    const planId = planInScope(usage.planId, { scope, connectionId: activeConnection(usage) }, usage.entries)
    usage.change({ scope, planId, connectionId: undefined, keyId: undefined, toolId: undefined, cycle: undefined })
  }
  return (
    <Select
      aria-label={t('filters.scope')}
      value={usage.scope}
      onValueChange={choose}
      options={scopes.map((scope) => ({
        value: scope,
        label: t(`scopes.${scope}`),
        hint: t(`scopeHints.${scope}`),
        disabled: scope === 'console' && usage.console.kind !== 'there',
      }))}
    />
  )
}

/** What is counted: the span, the source, and one plan, model, tool and key each. */
export function FilterBar({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { wanted, change, scope, plans, planId } = usage
  const isConsole = scope === 'console'
  const tools = useToolOptions(usage)
  const keys = useKeyOptions(usage)
  const models = useModelOptions(usage)
  return (
    <section className={styles.filters} aria-label={t('filters.label')}>
      <SpanSelect usage={usage} />
      <ScopeSelect usage={usage} />
      <Choice
        of="plan"
        value={planId}
        isNeeded={isConsole}
        options={plans.map(({ id, name }) => ({ value: id, label: name }))}
        onChoose={(id) => change({ planId: id, keyId: undefined, cycle: undefined })}
      />
      <Choice of="model" value={wanted.modelCode} options={models} onChoose={(modelCode) => change({ modelCode })} />
      <span className={styles.slot} title={isConsole ? t('filters.notTold') : undefined}>
        <Choice
          of="tool"
          value={isConsole ? undefined : wanted.toolId}
          options={tools}
          disabled={isConsole}
          onChoose={(toolId) => change({ toolId })}
        />
      </span>
      <Choice of="key" value={wanted.keyId} options={keys} onChoose={(keyId) => change({ keyId })} />
      {wanted.span === 'custom' ? <CustomDays usage={usage} /> : null}
    </section>
  )
}
