import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button, type ButtonVariant } from '../../ui/button'
import { useCopyKey } from '../plans/use-copy-key'

interface CopyKeyButtonProps {
  readonly planId: string
  readonly keyId: string
  readonly variant?: ButtonVariant
}

/** Copies a key in main, to be pasted into a tool's own window; it never enters this one. */
export function CopyKeyButton({ planId, keyId, variant = 'secondary' }: CopyKeyButtonProps) {
  const { t } = useTranslation('tools')
  const copying = useCopyKey(planId)
  return (
    <Button
      size="sm"
      variant={variant}
      icon={KeyRound}
      busy={copying.isPending}
      onClick={() => copying.mutate({ planId, keyId })}
    >
      {t('fixes.copyKey')}
    </Button>
  )
}
