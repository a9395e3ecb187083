import type { warningFixes as englishFixes, toolWarnings as englishWarnings } from '../en/tool-warnings'
import type { Translation } from '../texts'

/** What to know before something is written, in Vietnamese. */
export const toolWarnings: Translation<typeof englishWarnings> = {
  title: 'Điều nên biết',
  plainText: 'Khóa sẽ nằm trong {{subject}} dưới dạng văn bản thuần.',
  toolWritesKey:
    'Khi bạn đổi cài đặt trong cửa sổ của {{tool}}, chính nó sẽ ghi khóa vào {{subject}} dưới dạng văn bản thuần.',
  keyFile: 'Khóa được giữ trong {{subject}}, chỉ bạn đọc được (0600).',
  envFileHoldsKey: 'Khóa được giữ trong {{subject}}, tệp biến riêng của công cụ, chỉ bạn đọc được (0600).',
  variableNeeded:
    '{{tool}} cần {{subject}} ở nơi khởi động nó. Hãy đặt dòng này vào tệp khởi động của shell, hoặc nhập trong cửa sổ dòng lệnh.',
  keyInTool: 'Khóa không được ghi ở đâu cả: hãy sao chép ở đây và dán vào nơi {{tool}} hỏi trong cài đặt của nó.',
  commentsMoved: 'Các chú thích bị lấy ra: tệp còn chú thích được giữ bên cạnh với tên {{subject}}.',
  otherProviderSwitch: '{{subject}} đưa công cụ đến nhà cung cấp khác. Khi còn nó, cấu hình này không có tác dụng.',
  overridesExisting: 'Giá trị hiện tại của {{subject}} sẽ bị thay; Hoàn tác sẽ trả lại.',
  modelSetting: 'Công cụ có thiết lập mô hình riêng ({{subject}}). Mô hình chọn ở đây được ưu tiên trong phiên mới.',
  modelRefused: '{{tool}} không nhận {{subject}} từ gateway. Hãy chọn mã mô hình khác.',
  shellVariable: 'Biến {{subject}} đang được đặt và thắng những gì ghi ở đây.',
  rivalFile: 'Thiết lập {{subject}} trong một tệp khác thắng những gì ghi ở đây.',
  restartNeeded: '{{tool}} đang chạy cần khởi động lại để thấy thay đổi.',
  fileChangedSince: '{{subject}} đã bị thay đổi sau khi cấu hình. Những thay đổi đó được giữ nguyên.',
  fileReplaced:
    '{{subject}} thuộc về người dùng khác. Một tệp mới của bạn sẽ thay thế: chủ sở hữu, hard link và thuộc tính mở rộng của tệp cũ sẽ mất.',
  notTried: 'Chưa thử với {{tool}} thật: cấu hình này dựa theo tài liệu của công cụ. Hãy kiểm tra sau khi ghi.',
  remoteMaker:
    'Yêu cầu được gửi từ máy chủ của hãng làm ra {{tool}}, những máy chủ đó không truy cập được {{subject}}: đó là địa chỉ của máy này.',
  relayNeeded: 'Relay đang tắt. Relay sẽ khởi động cùng thay đổi này và luôn chạy từ đó: {{tool}} cần relay.',
  origins: {
    app: 'Biến này được đặt ở nơi khởi động ứng dụng.',
    loginShell: 'Shell đăng nhập của bạn đặt biến này.',
    project: 'Tệp này thuộc một dự án.',
    managed: 'Tệp này do tổ chức của bạn quản lý.',
    user: 'Tệp này là của riêng bạn.',
    settings: 'Nó nằm trong cấu hình của công cụ.',
  },
  subjects: {
    settings: 'tệp cấu hình',
    keyFile: 'một tệp riêng',
    copy: 'một bản sao',
    variable: 'một biến',
    model: 'mô hình này',
    address: 'địa chỉ này',
  },
}

/** The buttons of warnings, in Vietnamese. */
export const warningFixes: Translation<typeof englishFixes> = {
  copyLine: 'Sao chép dòng này',
  openFile: 'Mở tệp',
  takeOut: 'Lấy ra',
  takenOut: 'Sẽ được lấy ra:',
  leaveIn: 'Giữ lại {{setting}}',
  copyKey: 'Sao chép khóa',
}
