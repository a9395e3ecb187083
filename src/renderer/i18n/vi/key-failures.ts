import type { FailureCodeTexts } from '../en/failure-codes'

type Areas = 'rotation' | 'register' | 'audit' | 'handout'

/** Words for the failures of rotating keys, of the register and of handing out, in Vietnamese. */
export const keyFailures: Pick<FailureCodeTexts, Areas> = {
  rotation: {
    notFound: {
      title: 'Không còn lần xoay vòng này',
      explanation: 'Nó đã kết thúc và được bỏ khỏi danh sách, ở đây hoặc bằng dòng lệnh.',
      remedy: 'Hãy xem các lần xoay vòng trong sổ khóa.',
    },
    notAtAccount: {
      title: 'Không xoay vòng được khóa này ở đây',
      explanation:
        'Khóa do người khác cấp cho bạn, hoặc thuộc tài khoản chưa được kết nối. Chỉ người có tài khoản mới tạo được khóa khác.',
      remedy: 'Hãy xin khóa mới rồi thay khóa cũ trong gói; hoặc kết nối tài khoản.',
    },
    underWay: {
      title: 'Khóa này đang được xoay vòng',
      explanation: 'Mỗi khóa chỉ một lần xoay vòng tại một thời điểm: lần thứ hai sẽ giật mất khóa của lần đầu.',
      remedy: 'Hãy xem lần đã bắt đầu.',
    },
    cannotUndo: {
      title: 'Không hoàn tác được lần xoay vòng này nữa',
      explanation: 'Khóa cũ đã bị xóa trong tài khoản, và khóa đã xóa thì không lấy lại được.',
      remedy: 'Hãy xoay vòng khóa mới, nếu đó là khóa cần thay.',
    },
    oldKeyStillWorks: {
      title: 'Khóa cũ vẫn còn hoạt động',
      explanation:
        'Khóa đã bị tắt trong tài khoản nhưng gateway vẫn chấp nhận. Vì vậy khóa chưa bị xóa, và không có gì bị hỏng.',
      remedy: 'Hãy đợi gateway một phút rồi làm tiếp.',
    },
    keyByHand: {
      title: 'Cần tự nhập khóa cho {{tool}}',
      explanation:
        'Công cụ lấy khóa từ biến môi trường của shell hoặc từ cửa sổ riêng, nơi ứng dụng này không ghi được.',
      remedy: 'Hãy sao chép khóa, đặt vào đó, rồi xác nhận là đã xong.',
    },
    toolUnknown: {
      title: 'Không biết được {{tool}} đang dùng khóa nào',
      explanation: 'Bản ghi những gì ứng dụng đã viết cho công cụ này bị hỏng, nên có thể nó vẫn dùng khóa cũ.',
      remedy: 'Hãy bảo đảm công cụ không còn dùng khóa cũ, rồi xóa bản ghi và làm tiếp.',
    },
  },
  register: {
    notFound: {
      title: 'Khóa này không còn trong sổ khóa',
      explanation: 'Khóa đã bị xóa trong lúc đó, hoặc gói của nó không còn.',
      remedy: 'Hãy làm mới sổ khóa rồi chọn lại.',
    },
  },
  audit: {
    broken: {
      title: 'Nhật ký thao tác không nguyên vẹn',
      explanation: 'Có dòng bị sửa, bị bỏ hoặc bị đổi chỗ sau khi ghi, hoặc phần cuối bị thiếu.',
      remedy: 'Hãy xem nhật ký thao tác, ở đó chỉ ra dòng đầu tiên như vậy.',
    },
  },
  handout: {
    unreadable: {
      title: 'Đây không phải là tệp bàn giao đọc được',
      explanation: 'Đây là loại tệp khác, hoặc tệp bị cắt cụt khi gửi.',
      remedy: 'Hãy xin lại tệp, hoặc chọn tệp khác.',
    },
    wrongPassphrase: {
      title: 'Cụm mật khẩu không mở được tệp',
      explanation: 'Một trong sáu từ bị sai, bị thiếu hoặc sai vị trí; hoặc cụm này của tệp khác.',
      remedy: 'Hãy nhập lại từng từ một.',
    },
    otherRecipient: {
      title: 'Tệp được tạo cho khóa của người khác',
      explanation: 'Chỉ máy có nửa còn lại của khóa công khai đó mới mở được.',
      remedy: 'Hãy gửi khóa công khai của bạn và xin tệp mới.',
    },
    badRecipient: {
      title: 'Đây không phải là khóa công khai age',
      explanation: 'Khóa bắt đầu bằng “age1” và phải đầy đủ; chỉ một phần, hoặc khóa bí mật, đều không dùng được.',
      remedy: 'Hãy xin lại và dán toàn bộ.',
    },
    unknownCode: {
      title: 'Không có lần cấp khóa nào mang mã này',
      explanation: 'Sổ khóa trên máy này không biết tệp bàn giao nào ứng với mã.',
      remedy: 'Hãy so với mã người nhận gửi; và nhập trên đúng máy đã tạo tệp.',
    },
    tampered: {
      title: 'Tệp đã bị thay đổi sau khi tạo',
      explanation: 'Niêm phong đã hỏng: có người sửa tệp, hoặc tệp bị hư khi gửi. Chưa có gì trong tệp được dùng.',
      remedy: 'Đừng dùng tệp này. Hãy xin tệp mới và báo rằng tệp này đã bị thay đổi.',
    },
  },
}
