import type { PlaygroundTarget, Standard } from '@shared/contract'
import { ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FieldGroup } from '../../ui/field'
import { TargetForm } from './target-form'
import styles from './target-select.module.css'
import {
  draftAt,
  draftOf,
  placesOf,
  type TargetDraft,
  type TargetKind,
  targetOf,
  usePlaces,
  useTargetWords,
} from './targets'

/** Everywhere that chats can go. */
const everyKind: readonly TargetKind[] = ['plan', 'platform', 'local']
const everyStandard: readonly Standard[] = ['chat-completions', 'messages']

export interface TargetSelectProps {
  readonly value: PlaygroundTarget | undefined
  readonly onChange: (target: PlaygroundTarget) => void
  /** What it is for, read out before what is chosen. */
  readonly label: string
  readonly kinds?: readonly TargetKind[]
  readonly standards?: readonly Standard[]
  readonly disabled?: boolean
  /** So that a remedy can lead here. */
  readonly buttonId?: string
}

interface ChosenProps {
  readonly target: PlaygroundTarget | undefined
  /** It says nothing where there is only one. */
  readonly hasStandards: boolean
}

function Chosen({ target, hasStandards }: ChosenProps) {
  const { t } = useTranslation('playground')
  const words = useTargetWords()
  if (!target) return <span className={styles.none}>{t('target.choose')}</span>
  const { where, standard } = words(target)
  const place = hasStandards || target.kind === 'platform' ? `${where} · ${standard}` : where
  return (
    <span className={styles.words} title={`${target.modelCode}\n${place}`}>
      <span className={styles.chosen}>{target.modelCode}</span>
      <span className={styles.where}>{place}</span>
    </span>
  )
}

/** What answers: a model of a plan, of platform inference or at a local address. Opens beneath a button that says what is chosen. */
export function TargetSelect(props: TargetSelectProps) {
  const { value, onChange, label, kinds = everyKind, standards = everyStandard, disabled = false, buttonId } = props
  const [draft, setDraft] = useState<TargetDraft>()
  const places = usePlaces()
  const first = placesOf(places, kinds)[0]
  const begin = (open: boolean): void => {
    const standard = standards[0] ?? 'chat-completions'
    if (!open) setDraft(undefined)
    else if (value && kinds.includes(value.kind)) setDraft(draftOf(value))
    else if (first) setDraft(draftAt(first.place, places, standard))
  }
  const change = (next: TargetDraft): void => {
    setDraft(next)
    const target = targetOf(next)
    if (target) onChange(target)
  }
  return (
    <Popover.Root open={draft !== undefined} onOpenChange={begin}>
      <Popover.Trigger id={buttonId} className={styles.trigger} disabled={disabled}>
        <span className="sr-only">{label}: </span>
        <Chosen target={value} hasStandards={standards.length > 1} />
        <ChevronDown size={14} aria-hidden="true" className={styles.chevron} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={styles.content}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
        >
          {draft ? (
            <FieldGroup>
              <TargetForm
                draft={draft}
                onChange={change}
                onDone={() => begin(false)}
                {...{ places, kinds, standards }}
              />
            </FieldGroup>
          ) : null}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
