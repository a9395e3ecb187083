import type { ComparisonCell } from '@shared/contract'
import { ArrowLeftRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { SkeletonRows } from '../../ui/skeleton'
import { useRun } from '../playground/runs-store'
import { TextDiff } from './text-diff'

/** An answer that is compared. */
export interface DiffSide {
  readonly cell: ComparisonCell
  readonly name: string
}

interface AnswersDiffProps {
  readonly sides: readonly [DiffSide, DiffSide]
  readonly onClose: () => void
}

/** What sets two answers apart. */
export function AnswersDiff({ sides, onClose }: AnswersDiffProps) {
  const { t } = useTranslation('compare')
  const [isSwapped, setIsSwapped] = useState(false)
  const [left, right] = isSwapped ? [sides[1], sides[0]] : sides
  const before = useRun(left.cell.run.id)
  const after = useRun(right.cell.run.id)
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={onClose}
      title={t('diff.title')}
      footer={
        <Button icon={ArrowLeftRight} onClick={() => setIsSwapped(!isSwapped)}>
          {t('diff.swap')}
        </Button>
      }
    >
      {before && after ? (
        <TextDiff before={before.answer.text} after={after.answer.text} names={[left.name, right.name]} />
      ) : (
        <SkeletonRows rows={4} />
      )}
    </Dialog>
  )
}
