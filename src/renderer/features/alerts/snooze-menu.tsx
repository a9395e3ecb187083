import type { AlertView, MethodInput } from '@shared/contract'
import { BellOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Menu, type MenuItem } from '../../ui/menu'
import { useSnoozeWords } from './use-snooze-words'

/** Hours that can be chosen. */
const spans = [1, 8, 24, 72, 168] as const

interface SnoozeMenuProps {
  readonly alert: AlertView
  readonly onSnooze: (what: MethodInput<'alerts.snooze'>) => void
}

/** Keeps a model, or its whole plan, quiet for a while. */
export function SnoozeMenu({ alert, onSnooze }: SnoozeMenuProps) {
  const { t } = useTranslation('alerts')
  const words = useSnoozeWords()
  const { planId, planName, modelCode } = alert
  const span = (hours: number): string =>
    hours < 24 ? t('for.hours', { count: hours }) : t('for.days', { count: hours / 24 })
  const lines = (what: Pick<AlertView, 'modelCode'>): readonly MenuItem[] =>
    spans.map((hours) => ({ label: span(hours), onSelect: () => onSnooze({ planId, ...what, hours }) }))
  return (
    <Menu
      align="end"
      trigger={
        <Button size="sm" icon={BellOff} aria-label={t('snoozeOf', { what: words(planName, modelCode) })}>
          {t('snooze')}
        </Button>
      }
      items={[
        ...(modelCode === undefined
          ? []
          : [{ heading: t('ofModel', { model: modelCode }) }, ...lines({ modelCode }), 'separator' as const]),
        { heading: t('ofPlan', { plan: planName }) },
        ...lines({}),
      ]}
    />
  )
}
