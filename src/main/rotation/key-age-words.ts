import type { AgedKey } from './aged-keys'

type Locale = 'en' | 'vi'

/** What a notification of an old key says. */
export function keyAgeWords(
  { keyName, planName, ageDays, canRotate }: AgedKey,
  locale: Locale,
): { title: string; body: string } {
  if (locale === 'vi')
    return {
      title: `Khóa ${keyName} đã dùng ${ageDays} ngày`,
      body: canRotate
        ? `Hãy đổi khóa này của ${planName}: các công cụ vẫn chạy trong lúc đổi.`
        : `Hãy xin một khóa mới cho ${planName} từ người đã giao khóa.`,
    }
  return {
    title: `The key ${keyName} is ${ageDays} days old`,
    body: canRotate
      ? `Rotate this key of ${planName}: your tools keep working meanwhile.`
      : `Ask whoever gave it to you for a new key of ${planName}.`,
  }
}
