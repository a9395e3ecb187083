import type { PromptVersion } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../ui/dialog'
import { Select } from '../../ui/select'
import { TextDiff } from '../compare/text-diff'
import { asText } from './prompt-form'
import styles from './prompts.module.css'

interface VersionDiffProps {
  /** The newest first. */
  readonly versions: readonly PromptVersion[]
  /** The numbers that are compared at first. */
  readonly between: readonly [number, number]
  readonly onClose: () => void
}

/** What sets two versions of a prompt apart; any two can be chosen. */
export function VersionDiff({ versions, between, onClose }: VersionDiffProps) {
  const { t } = useTranslation('prompts')
  const [[from, to], setBetween] = useState(between)
  const before = versions.find(({ number }) => number === from)
  const after = versions.find(({ number }) => number === to)
  const options = versions.map(({ number }) => ({ value: String(number), label: t('versions.number', { number }) }))
  const headings = {
    text: t('form.text'),
    system: t('form.system'),
    target: t('form.target'),
    parameters: t('form.parameters'),
  }
  return (
    <Dialog open size="lg" onOpenChange={onClose} title={t('versions.diff')}>
      <div className={styles.between}>
        <Select
          aria-label={t('versions.from')}
          value={String(from)}
          options={options}
          onValueChange={(value) => setBetween([Number(value), to])}
        />
        <span aria-hidden="true">→</span>
        <Select
          aria-label={t('versions.to')}
          value={String(to)}
          options={options}
          onValueChange={(value) => setBetween([from, Number(value)])}
        />
      </div>
      {before && after ? (
        <TextDiff
          before={asText(before, after, headings)}
          after={asText(after, before, headings)}
          names={[t('versions.number', { number: from }), t('versions.number', { number: to })]}
        />
      ) : null}
    </Dialog>
  )
}
