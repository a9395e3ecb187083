import type { snippets as english } from '../en/snippets'
import type { Translation } from '../texts'

/** Words of the dialog with texts to paste elsewhere, in Vietnamese. */
export const snippets: Translation<typeof english> = {
  title: 'Sao chép dạng văn bản',
  text: 'Cùng cấu hình này cho máy khác, container hoặc CI. Khóa không bao giờ nằm trong đó: một biến hoặc một chỗ để điền đứng thay cho nó.',
  none: 'Không thể cấu hình công cụ này bằng văn bản.',
  into: 'Vào tệp',
  copy: 'Sao chép đoạn này',
  kinds: {
    file: 'Tệp',
    shell: 'Shell',
    powershell: 'PowerShell',
    devcontainer: 'Dev container',
    ci: 'CI',
  },
  where: {
    file: 'Vào tệp cấu hình của công cụ',
    shell: 'Trong cửa sổ dòng lệnh, hoặc cuối tệp cấu hình của shell',
    powershell: 'Trong cửa sổ PowerShell, hoặc trong profile của nó',
    devcontainer: 'Vào devcontainer.json',
    ci: 'Vào các bước của một công việc CI, còn khóa là secret của CI',
  },
}
